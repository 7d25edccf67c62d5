// The page of a session: applies what the server sends, and sends what a person does.
//
// The server knows what the page has; the page knows what a person has typed that the server has
// not seen. Each message has a number, and is kept until the server has acknowledged it; a field
// takes no text from the server that is older than its own newest one.

const byId = (id) => document.getElementById(id);
const main = byId("main");
const state = byId("state");
const notice = byId("notice");
const inspector = byId("inspector");
// Which of the server's pages this is.
const pageName = location.pathname.split("/").at(-1);
const logout = byId("logout");
const notify = byId("notify");
const waitingMax = 128;
// Milliseconds: the server says something every ten seconds, and answers an action at once.
const silenceMax = 30000;
const answerMax = 1000;
// One more than a field takes, so that the server says that it is full.
const textMax = 65537;

// A page that is loaded again goes on with its tab; a copy of it has one of its own.
const tabKey = `napkin-tab ${location.pathname}`;
let tab = sessionStorage.getItem(tabKey) ?? "";
sessionStorage.removeItem(tabKey);
let socket = null;
// Whether the server has said which tab this is: what waits is for the elements of that one.
let isKnown = false;
let sent = 0;
// What is sent again on the next connection, oldest first, and since when nothing is answered.
let waiting = [];
let waitingSince = 0;
// How many actions were more than may wait.
let refused = 0;
let heardAt = 0;
// What the server has said of itself, and what the page has to say.
let told = { kind: "connecting", text: "connecting" };
let ownNotice = "";
let delay = 100;
let lostAt = "";
let isEnded = false;
let isLoaded = false;
const newest = new Map();
// Who had the focus last, before a dialog took it.
let below = "";

// Texts that are not sent yet, or belong to a page that has been loaded anew.
const draftsKey = `napkin-drafts ${location.pathname}`;
const drafts = JSON.parse(sessionStorage.getItem(draftsKey) ?? "{}");

function keepDraft(field) {
  if (!field.dataset.name || field.type === "password") return;
  drafts[field.dataset.name] = field.value.slice(0, textMax);
  storeDrafts();
}

function storeDrafts() {
  try {
    sessionStorage.setItem(draftsKey, JSON.stringify(drafts));
  } catch {
    // There is no room: what is typed is not kept over a reload.
  }
}

// What a field that is gone has had has been sent, or given up.
function forgetDrafts() {
  const names = new Set([...main.querySelectorAll("[data-name]")].map((one) => one.dataset.name));
  const gone = Object.keys(drafts).filter((name) => !names.has(name));
  for (const name of gone) delete drafts[name];
  if (gone.length > 0) storeDrafts();
}

function restoreDrafts() {
  const fields = [...main.querySelectorAll("input[data-do=text]:not(:disabled)")];
  for (const field of fields) {
    const name = field.dataset.name;
    const draft = drafts[name];
    // Of several fields of a name nobody knows whose it was.
    const isOnly = fields.filter((one) => one.dataset.name === name).length === 1;
    if (draft && isOnly && field.value === "") {
      field.value = draft;
      sendText(field);
    }
  }
}

// Connection

function connect() {
  if (isEnded) return;
  const address = `socket?tab=${tab}&page=${pageName}`;
  socket = new WebSocket(new URL(address, location.href.replace(/^http/, "ws")).href);
  heardAt = performance.now();
  socket.onmessage = (message) => {
    heardAt = performance.now();
    take(JSON.parse(message.data));
  };
  socket.onclose = lose;
}

function lose() {
  // A connection that is dead takes long to close.
  socket.onmessage = socket.onclose = null;
  socket.close();
  isKnown = false;
  if (isEnded) return;
  lostAt ||= new Date().toLocaleTimeString();
  show();
  setTimeout(connect, delay);
  delay = Math.min(delay * 2, 5000);
  askWhetherKnown();
}

// Another server, or none of ours, answers: this page's cookie was the former one's.
async function askWhetherKnown() {
  try {
    const options = { method: "HEAD", signal: AbortSignal.timeout(5000) };
    const answer = await fetch(location.href, options);
    // A proxy answers for a server that does not.
    if (answer.ok || answer.status >= 500) return;
    isEnded = true;
    told = { kind: "ended", text: "ended: this page's address is no longer good; open the one that "
      + "`napkin-client web` or `share` has printed, or run it again" };
    show();
  } catch {
    // Nobody answers yet.
  }
}

function send(event) {
  const isAction = !["text", "focus", "leave"].includes(event.type);
  if (waiting.length === 0) waitingSince = performance.now();
  // Of a field's texts that follow one another only the newest matters, and always waits.
  const former = waiting.findLastIndex((one) => one.type !== "text" || one.id === event.id);
  if (event.type === "text" && waiting[former]?.type === "text") waiting.splice(former, 1);
  if (isAction && waiting.length >= waitingMax) {
    refused += 1;
    return tell(`${refused} of your actions were not sent: more than ${waitingMax} were waiting`);
  }
  event.number ??= ++sent;
  // Who has the focus is said again with a new page.
  if (event.type !== "focus") waiting.push(event);
  if (isKnown && socket.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify(event));
    if (isAction) [refused, ownNotice] = [0, ""];
  } else if (lostAt) show();
}

// The server has kept the tab, or has begun another one, in which ids mean something else.
function beKnown(name, acknowledged) {
  const isSame = tab === name;
  const unsent = isSame ? waiting.filter((event) => event.number > acknowledged) : [];
  const lost = isSame ? 0 : refused + waiting.length;
  if (!isSame) {
    newest.clear();
    // Drafts are put into the new fields.
    isLoaded = false;
  }
  [tab, waiting, isKnown, delay] = [name, unsent, true, 100];
  // A page that is loaded again begins to count anew.
  sent = Math.max(sent, acknowledged);
  waitingSince = performance.now();
  // With their numbers: what did arrive is not done again.
  for (const event of unsent) socket.send(JSON.stringify(event));
  if (lost > 0) tell(`the server had forgotten this tab: ${lost} of your actions were not sent`);
}

// Says how the connection is, and marks what is not answered.
function show() {
  const isLate = isKnown && waiting.length > 0 && performance.now() - waitingSince > answerMax;
  const marked = isLate || lostAt ? waiting.map((event) => event.id) : [];
  for (const one of main.querySelectorAll("[data-waits]")) {
    if (!marked.includes(one.id)) delete one.dataset.waits;
  }
  for (const id of marked) byId(id)?.setAttribute("data-waits", "");
  let { kind, text } = told;
  if (!isEnded && lostAt) {
    kind = "lost";
    text = `connection lost since ${lostAt}, retrying`
      + (waiting.length > 0 ? `, ${waiting.length} waiting to be sent` : "");
  } else if (!isEnded && isLate) {
    kind = "waiting";
    text = `no answer yet to ${waiting.length} of your actions`;
  }
  state.parentElement.className = kind;
  if (state.textContent !== text) state.textContent = text;
  const words = [ownNotice, told.notice].filter(Boolean).join(" · ");
  notice.hidden = !words;
  if (notice.textContent !== words) notice.textContent = words;
}

// Says what the page knows by itself, until the next action is sent.
function tell(words) {
  ownNotice = words;
  show();
}

// A dead server, or line, does not say so.
setInterval(() => {
  if (socket.onclose && !isEnded && performance.now() - heardAt > silenceMax) lose();
  show();
}, 1000);

// The dialog that lies over all else; opens those that are new, and lets none shrink.
function topDialog() {
  const dialogs = [...main.querySelectorAll("dialog:not([inert] *)")];
  for (const dialog of dialogs) {
    if (!dialog.open) dialog.showModal();
    dialog.style.minWidth = `min(${dialog.offsetWidth}px, 100vw - 2rem)`;
  }
  return dialogs.at(-1);
}

// What the server says

function take(message) {
  const acknowledged = message.acknowledged ?? 0;
  if (message.beat) socket.send("{}");
  if (message.tab) beKnown(message.tab, acknowledged);
  if (waiting[0]?.number <= acknowledged) {
    waiting = waiting.filter((event) => event.number > acknowledged);
    waitingSince = performance.now();
  }
  if (message.page !== undefined) replaceAll(message.page, acknowledged);
  if (message.page === "") {
    forgetDrafts();
    logout.hidden = true;
  }
  if (message.patches) {
    const [before, former] = [topDialog(), document.activeElement];
    for (const patch of message.patches) apply(patch, acknowledged);
    forgetDrafts();
    const dialog = topDialog();
    if (before && !dialog) focus(byId(below));
    if (dialog !== before && document.activeElement === document.body) begin();
    if (dialog && (dialog !== before || !former.isConnected)) begin();
  }
  if (message.state) {
    lostAt = "";
    told = message.state;
    isEnded = told.kind === "ended";
    show();
    document.title = told.title;
    inspector.hidden = !told.hasInspector;
    offerNotifications();
  }
  for (const text of message.calls ?? []) call(text);
  if (message.focus) focus(byId(message.focus));
  // A browser that opens nothing by itself shows it here; its key for back leads to this page.
  if (message.open && !window.open(message.open, "_blank")) location.assign(message.open);
}

// Browsers ask whether a page may show notifications only after a gesture.
function offerNotifications() {
  notify.hidden = !told.mayCall || globalThis.Notification?.permission !== "default";
}

notify.addEventListener("click", async () => {
  await Notification.requestPermission();
  offerNotifications();
});

// Whoever looks at the page sees it there.
function call(text) {
  if (document.hasFocus() || globalThis.Notification?.permission !== "granted") return;
  try {
    // Several tabs show one.
    const shown = new Notification(told.title, { body: text, tag: text });
    shown.onclick = () => { window.focus(); shown.close(); };
  } catch {
    // Phones have no notifications without a worker of their own: the title says it.
    navigator.vibrate?.(200);
  }
}

function replaceAll(html, acknowledged) {
  // In another tab, ids mean something else.
  const active = isLoaded ? document.activeElement?.id : "";
  const name = document.activeElement?.dataset?.name;
  const texts = new Map();
  for (const field of main.querySelectorAll("input[data-do=text]")) {
    const isNewer = (newest.get(field.id) ?? 0) > acknowledged;
    texts.set(field.id, { value: isNewer ? field.value : null,
      start: field.selectionStart, end: field.selectionEnd });
  }
  const scroll = window.scrollY;
  main.innerHTML = html;
  style(main);
  topDialog();
  for (const [id, text] of texts) {
    const field = byId(id);
    if (field && text.value !== null) field.value = text.value;
    if (field && id === active) field.setSelectionRange(text.start, text.end);
  }
  const same = (active && byId(active))
    || (name && main.querySelector(`[data-name="${CSS.escape(name)}"]`));
  if (same) same.focus({ preventScroll: true });
  else begin();
  window.scrollTo(0, scroll);
  for (const list of main.querySelectorAll("[data-follows]")) list.scrollTop = list.scrollHeight;
  if (!isLoaded) restoreDrafts();
  isLoaded = true;
}

function apply(patch, acknowledged) {
  const element = byId(patch.id);
  if (!element) return;
  if (patch.html !== undefined) {
    element.replaceWith(made(patch.html));
    return;
  }
  for (const [name, value] of Object.entries(patch.attributes ?? {})) {
    set(element, name, value, acknowledged);
  }
  if (patch.inner !== undefined) {
    element.innerHTML = patch.inner;
    style(element);
  }
  if (patch.order !== undefined) order(element, patch.order);
}

function set(element, name, value, acknowledged) {
  if (name === "value" && element.dataset.do === "text") {
    const isOlder = (newest.get(element.id) ?? 0) > acknowledged;
    if (isOlder || element.value === (value ?? "")) return;
    // Behind the text it stays there: a person goes on with what has come back.
    const isBehind = element.selectionStart === element.value.length;
    const [start, end] = [element.selectionStart, element.selectionEnd];
    element.value = value ?? "";
    if (element === document.activeElement && !isBehind) element.setSelectionRange(start, end);
    keepDraft(element);
    return;
  }
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
  if (name === "checked" || name === "selected") element[name] = value !== null;
  if (name === "data-css") element.style.cssText = value ?? "";
  if (name === "aria-selected" && value === "true" && element.role !== "tab") {
    element.scrollIntoView({ block: "nearest" });
  }
}

// Leaves what stays where it is, so that nothing that has the focus is moved.
function order(parent, names) {
  const kept = new Set(names.filter((name) => !name.startsWith("<")));
  const former = document.activeElement;
  const follows = parent.dataset.follows !== undefined
    && parent.scrollTop + parent.clientHeight >= parent.scrollHeight - 4;
  for (const child of [...parent.children]) if (!kept.has(child.id)) child.remove();
  let next = parent.firstElementChild;
  for (const name of names) {
    if (next && next.id === name) {
      next = next.nextElementSibling;
      continue;
    }
    const element = name.startsWith("<") ? made(name) : byId(name);
    if (!element) continue;
    parent.insertBefore(element, next);
  }
  if (former !== document.activeElement && former?.isConnected) former.focus();
  if (follows) parent.scrollTop = parent.scrollHeight;
}

function made(html) {
  const template = document.createElement(html.startsWith("<tr") ? "tbody"
    : html.startsWith("<th") ? "tr" : "template");
  template.innerHTML = html;
  const element = (template.content ?? template).firstElementChild;
  style(element);
  return element;
}

// Rows that become columns where there are too few cells.
const widths = new ResizeObserver((entries) => {
  const cell = byId("cell").getBoundingClientRect().width;
  for (const { target, contentRect } of entries) {
    target.classList.toggle("stacked", contentRect.width < target.dataset.below * cell);
  }
});

function style(root) {
  const special = "[data-css], [data-below], [data-script], pre, table";
  for (const element of [root, ...root.querySelectorAll(special)]) {
    if (element.dataset.css) element.style.cssText = element.dataset.css;
    if (element.dataset.below) widths.observe(element);
    if (element.dataset.script) import(element.dataset.script);
    if (element.matches("pre, table:not([role=grid])")) reaches.observe(element);
  }
}

// What scrolls is reached by the keyboard.
const reaches = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});

// What an app's own element says.
document.addEventListener("napkin", (event) => {
  const element = event.target.closest("[data-do=own]:not([disabled])");
  if (!element || element.closest("[inert]") || typeof event.detail !== "string") return;
  send({ type: "press", id: element.id, text: event.detail.toWellFormed() });
});

// A dialog takes the focus, otherwise whatever is first.
function begin() {
  const root = topDialog() ?? main;
  focus(root.querySelector(
    ".typing:not(:disabled), input:not(:disabled), [role=listbox], button, select"));
}

function focus(element) {
  if (element && element !== document.activeElement) element.focus();
}

// What a person does

function sendText(field) {
  const text = field.value.slice(0, textMax).toWellFormed();
  const event = { type: "text", id: field.id, text };
  event.number = ++sent;
  newest.set(field.id, event.number);
  keepDraft(field);
  send(event);
}

document.addEventListener("input", (event) => {
  if (event.target.dataset.do === "text" && !event.isComposing) sendText(event.target);
});

document.addEventListener("compositionend", (event) => {
  if (event.target.dataset.do === "text") sendText(event.target);
});

document.addEventListener("change", (event) => {
  const element = event.target;
  if (element.dataset.do !== "pick") return;
  send({ type: "pick", id: element.id, row: element.selectedIndex });
  // The server decides; it says so in a patch.
  for (const option of element.options) option.selected = option.hasAttribute("selected");
});

document.addEventListener("click", (event) => {
  const element = event.target.closest("[data-do]");
  if (!element || element.disabled) return;
  const row = event.target.closest("[data-row]");
  switch (element.dataset.do) {
  case "press": send({ type: "press", id: element.id, label: element.dataset.label }); break;
  case "toggle":
    event.preventDefault();
    send({ type: "toggle", id: element.id, isOn: !element.hasAttribute("checked") });
    break;
  case "row":
  case "tab":
    if (!row) return;
    send({ type: row.ariaSelected === "true" && element.dataset.do === "row" ? "choose" : "select",
      id: element.id, row: Number(row.dataset.row) });
  }
});

document.addEventListener("focusin", (event) => {
  if (!event.target.closest("dialog")) below = event.target.id;
  if (!isKnown) return;
  if (event.target.id && main.contains(event.target)) send({ type: "focus", id: event.target.id });
});

function keyName(event) {
  const name = event.key.length === 1 && event.ctrlKey ? event.key.toLowerCase() : event.key;
  return (event.ctrlKey ? "Control+" : "") + (event.altKey ? "Alt+" : "")
    + (event.shiftKey && event.key === "Tab" ? "Shift+" : "") + name;
}

// A console: its field has the focus and stays empty; the server has the text.

const leavesConsole = "Control+\\";

// Returns the field of the console around an element.
function typing(element) {
  return element.closest?.("[data-do=console]")?.querySelector(".typing:not(:disabled)");
}

function sendTo(field, act, more) {
  send({ type: "console", id: field.id, act, ...more });
}

// Says how many rows and columns there is room for: seven tenths of the height that is seen.
function fit(field) {
  const cells = field.closest("[data-do=console]").querySelector(".cells");
  const style = getComputedStyle(cells);
  const probe = document.createElement("span");
  probe.textContent = "0".repeat(100);
  cells.append(probe);
  const [width, height] = [probe.getBoundingClientRect().width / 100,
    cells.firstElementChild.getBoundingClientRect().height];
  probe.remove();
  const room = cells.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const rows = Math.floor(0.7 * (visualViewport?.height ?? innerHeight) / height);
  if (!(width > 0 && height > 0 && room > 0)) return;
  const size = `${Math.max(5, rows)}x${Math.max(20, Math.floor(room / width))}`;
  if (field.dataset.size === size) return;
  field.dataset.size = size;
  sendTo(field, "size",
    { row: Number(size.split("x")[0]), column: Number(size.split("x")[1]) });
}

function fitFocused() {
  if (document.activeElement?.matches(".typing")) fit(document.activeElement);
}
addEventListener("resize", fitFocused);
visualViewport?.addEventListener("resize", fitFocused);

// Returns whether Ctrl of the keys beside the console was on, and lets it go.
function takeControl(field) {
  const button = field.closest("[data-do=console]").querySelector("[data-sends=Control]");
  const isOn = button.ariaPressed === "true";
  button.ariaPressed = "false";
  return isOn;
}

function typeKey(field, event) {
  if (event.isComposing || event.metaKey || event.keyCode === 229) return;
  let key = keyName(event);
  if (key === leavesConsole) {
    field.blur();
    event.preventDefault();
    return;
  }
  if (/^(Control|Alt|Shift|Dead|Unidentified|CapsLock|AltGraph)$/.test(event.key)) return;
  // The browser's own copying and pasting, as in other terminals.
  if (event.ctrlKey && event.shiftKey && /^[cv]$/i.test(event.key)) return;
  if (event.ctrlKey && event.key === "v") return;
  // AltGr writes characters.
  if (event.getModifierState("AltGraph") && event.key.length === 1) key = event.key;
  if (event.shiftKey && event.key.length > 1 && event.key !== "Tab") key = "Shift+" + key;
  if (!event.ctrlKey && takeControl(field)) key = "Control+" + key;
  sendTo(field, "key", { key });
  event.preventDefault();
}

// What a soft keyboard or a composition writes.
function typeText(field) {
  const text = field.value.toWellFormed();
  field.value = "";
  if (!text) return;
  if (text.length === 1 && takeControl(field)) sendTo(field, "key", { key: "Control+" + text });
  else sendTo(field, "text", { text: text.slice(0, textMax - 1) });
}

document.addEventListener("input", (event) => {
  if (event.target.matches(".typing") && !event.isComposing) typeText(event.target);
});
document.addEventListener("compositionend", (event) => {
  if (event.target.matches(".typing")) typeText(event.target);
});
document.addEventListener("paste", (event) => {
  if (!event.target.matches?.(".typing")) return;
  const text = event.clipboardData.getData("text/plain").toWellFormed().slice(0, textMax - 1);
  if (text) sendTo(event.target, "paste", { text });
  event.preventDefault();
});
document.addEventListener("focusin", (event) => {
  if (event.target.matches(".typing")) fit(event.target);
});

// Returns the cell under the pointer.
function cell(cells, event) {
  const box = cells.firstElementChild?.getBoundingClientRect();
  if (!box) return { row: 0, column: 0 };
  const size = (element) => parseFloat(getComputedStyle(element).fontSize);
  const width = byId("cell").getBoundingClientRect().width * size(cells)
    / size(document.body);
  return { row: Math.max(0, Math.floor((event.clientY - box.top) / box.height)),
    column: Math.max(0, Math.floor((event.clientX - box.left) / width)) };
}

// Buttons beside a console leave the focus where it is, and so does a selection in it.
document.addEventListener("pointerdown", (event) => {
  if (event.target.closest?.("[data-sends]")) event.preventDefault();
});
document.addEventListener("click", (event) => {
  const field = typing(event.target);
  if (!field) return;
  const name = event.target.closest("[data-sends]")?.dataset.sends;
  if (name === "Control") {
    const button = event.target.closest("[data-sends]");
    button.ariaPressed = button.ariaPressed === "true" ? "false" : "true";
  } else if (name) {
    sendTo(field, "key", { key: name });
  }
  const cells = event.target.closest(".cells");
  if (cells && !getSelection().isCollapsed) return;
  field.focus({ preventScroll: true });
  if (cells?.dataset.mouse === "1") sendTo(field, "click", cell(cells, event));
});
let turned = 0;
document.addEventListener("wheel", (event) => {
  const cells = event.target.closest?.(".cells");
  const field = cells && typing(cells);
  // The page scrolls until somebody types here.
  if (!field || document.activeElement !== field || event.ctrlKey || event.deltaX) return;
  event.preventDefault();
  turned += event.deltaMode === 1 ? event.deltaY : event.deltaY / 30;
  const lines = Math.trunc(turned);
  turned -= lines;
  if (lines) sendTo(field, "wheel", { ...cell(cells, event), text: String(lines) });
}, { passive: false });

document.addEventListener("keydown", (event) => {
  if (event.target.matches(".typing")) return typeKey(event.target, event);
  if (event.isComposing || event.metaKey) return;
  const key = keyName(event);
  const element = event.target;
  if (key === leavesConsole) {
    main.querySelector(".typing:not(:disabled):not([inert] *)")?.focus();
    event.preventDefault();
    return;
  }
  const writes = element.matches("input:not([type=checkbox])");
  const isOwn = ((key === "Enter" || key === " ")
    && element.matches("button, select, input[type=checkbox]"))
    || (key.length === 1 && element.matches("select"));
  const bound = !isOwn && [...main.querySelectorAll("button[data-key]:not(:disabled)")]
    .find((button) => button.dataset.key === key && !button.closest("[inert]"));
  if (writes && key === "Enter") {
    send({ type: "submit", id: element.id });
  } else if (element.type === "search" && key === "Escape") {
    send({ type: "key", id: element.id, key });
  } else if (writes && key === "Escape" && !bound) {
    element.blur();
  } else if (writes && key.length === 1) {
    return;
  } else if (element.dataset.do === "row" && !event.ctrlKey && !event.altKey
    && (key.length === 1 || /^(Arrow|Page|Home|End|Enter|Escape|Delete|Backspace)/.test(key))) {
    send({ type: "key", id: element.id, key });
  } else if (element.role === "tab" && (key === "ArrowLeft" || key === "ArrowRight")) {
    const next = key === "ArrowRight" ? element.nextElementSibling : element.previousElementSibling;
    if (!next) return;
    next.focus();
    next.click();
  } else if (bound) {
    bound.click();
  } else if (key === "/" && main.querySelector("[data-do=row]:not([inert] *)")) {
    send({ type: "key", id: main.querySelector("[data-do=row]:not([inert] *)").id, key });
  } else if (key === "Escape" || (key === "Enter" && element === document.body)) {
    send({ type: "key", key });
  } else {
    return;
  }
  event.preventDefault();
});

// A browser's own way to close a dialog.
document.addEventListener("cancel", (event) => {
  event.preventDefault();
  send({ type: "key", key: "Escape" });
}, true);

logout.addEventListener("click", async () => {
  try {
    await fetch("logout", { method: "POST" });
  } catch {
    tell("not logged out: the server does not answer");
    return;
  }
  // Whether the server has known this browser or not, now it does not.
  isEnded = true;
  socket.close();
  take({ page: "", state: { kind: "ended", text: "logged out", title: "logged out" } });
});

addEventListener("pagehide", () => {
  if (isKnown) send({ type: "leave" });
  // One that has ended begins anew.
  if (!isEnded) sessionStorage.setItem(tabKey, tab);
});
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

connect();
