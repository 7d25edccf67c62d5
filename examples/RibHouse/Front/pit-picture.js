// The pit as a picture: what is on the fire, stage by stage. The sign leads back to the table.

const space = "http://www.w3.org/2000/svg";
const stages = ["lighting", "smoking", "resting", "served"];
// The picture of a stage: its width, a shelf's height, and the room below and above the shelves.
const [width, shelf, below, above] = [220, 34, 34, 76];
const meats = ["#7a3b1e", "#8f4a2a", "#6b2f1c", "#a05a34", "#5c2a1a"];

// Returns an element of the picture.
function part(name, attributes, ...inside) {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

function words(text, x, y, attributes = {}) {
  return part("text", { x, y, "text-anchor": "middle", fill: "currentColor", ...attributes }, text);
}

// A piece of meat keeps its colour on its way through the pit.
function piece(item, x, y) {
  let sum = 0;
  for (const letter of item.id) sum = (sum * 31 + letter.codePointAt(0)) % 997;
  const fill = meats[sum % meats.length];
  return part("g", {},
    part("rect", { x: x - 86, y: y - 13, width: 172, height: 26, rx: 13, fill }),
    words(item.name, x, y + 5, { fill: "#fff", "font-weight": "bold", "font-size": 14 }));
}

function flames(x, y) {
  return part("g", {}, ...[-60, -30, 0, 30, 60].map((dx, index) => part("path", {
    d: `M${x + dx - 12} ${y}q2 -${16 + index % 2 * 8} 12 -${26 + index % 2 * 8}q12 14 12 ${
      26 + index % 2 * 8}z`, fill: index % 2 ? "#f0a03c" : "#d9541e" })));
}

function smoke(x, y) {
  return part("path", { d: [-50, 0, 50].map((dx) =>
    `M${x + dx} ${y}q-14 -12 0 -24t0 -24`).join(""), stroke: "currentColor", fill: "none",
  "stroke-opacity": .35, "stroke-width": 4, "stroke-linecap": "round" });
}

function drawn(stage, items, shelves) {
  const height = below + shelf * shelves + above;
  const [x, base] = [width / 2, height - below];
  return part("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%" },
    part("path", { d: `M${x - 96} ${base}h192`, stroke: "currentColor", "stroke-width": 4,
      "stroke-linecap": "round", "stroke-opacity": stage === "served" ? .25 : .6 }),
    ...(stage === "lighting" ? [flames(x, base)] : []),
    ...(stage === "smoking" && items.length > 0 ? [smoke(x, base - shelf * items.length - 6)] : []),
    ...items.map((item, row) => piece(item, x,
      base - (stage === "lighting" ? 50 : 17) - shelf * row)),
    words(stage[0].toUpperCase() + stage.slice(1), x, height - 10,
      { "font-size": 14, "fill-opacity": .8 }));
}

customElements.define("pit-picture", class extends HTMLElement {
  static observedAttributes = ["data-values"];

  connectedCallback() {
    this.pictures = document.createElement("div");
    this.pictures.style.cssText =
      "display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem";
    // A button, so that the keyboard finds it.
    const sign = document.createElement("button");
    sign.type = "button";
    sign.textContent = "← to the table";
    sign.addEventListener("click", () => this.dispatchEvent(
      new CustomEvent("napkin", { detail: "back", bubbles: true })));
    Object.assign(this.style, { background: "var(--card)", border: "1px solid var(--line)",
      borderRadius: "12px", padding: "0 1.25rem 1rem" });
    this.replaceChildren(this.pictures, sign);
    this.draw();
  }

  attributeChangedCallback() { if (this.pictures) this.draw(); }

  draw() {
    const sections = JSON.parse(this.dataset.values);
    const shelves = Math.max(2, ...sections.map((section) => section.items.length));
    this.pictures.replaceChildren(...stages.map((stage) =>
      drawn(stage, sections.find((one) => one.stage === stage)?.items ?? [], shelves)));
  }
});
