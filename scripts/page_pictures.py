"""Draws pages of a session in a headless Chromium, which is driven over its pipe.

Usage: page_pictures.py URL WIDTHxHEIGHT light|dark STEP…

Steps, in their order:
    shows:TEXT      waits until the page shows the text
    holds:SCRIPT    waits until an expression of JavaScript holds
    press:KEY       presses a key, by its name in `KeyboardEvent.key`
    click:TEXT      clicks the button with the text
    type:TEXT       types into what has the focus
    waits:PATH      waits until a file is there
    picture:PATH    writes what is seen, as WebP, cut where the page ends
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

# Seconds that a page may take to show a text. Chosen: a slow machine's.
SECONDS_MAX = 20
# Pixels of a picture for one of the page, and how exact WebP is. Chosen: sharp, and below 60 KB.
SCALE, QUALITY = 2, 80
CODES = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "Tab": 9}


class Browser:
    """A browser with one page."""

    def __init__(self, directory: str, width: int, height: int, scheme: str) -> None:
        # The browser reads commands from descriptor 3, and writes answers to 4.
        reads, self.commands = os.pipe()
        self.answers, writes = os.pipe()
        shell = f"exec chromium \"$@\" 3<&{reads} 4>&{writes}"
        self.process = subprocess.Popen(
            ["sh", "-c", shell, "sh", "--headless", "--no-sandbox", "--disable-gpu"]
            + ["--disable-dev-shm-usage", "--no-first-run", "--disable-extensions"]
            + ["--hide-scrollbars", f"--user-data-dir={directory}", "--remote-debugging-pipe"],
            pass_fds=(reads, writes),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(reads)
        os.close(writes)
        self.number = 0
        self.session: str | None = None
        self.rest = b""
        self.height = height
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        self.call("Page.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=SCALE,
            mobile=False,
        )
        preference = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[preference])

    def message(self) -> dict[str, Any]:
        """The next message of the browser."""
        while b"\0" not in self.rest:
            data = os.read(self.answers, 1 << 16)
            if not data:
                raise SystemExit("page_pictures: the browser has ended")
            self.rest += data
        text, self.rest = self.rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        return message

    def send(self, method: str, **parameters: Any) -> int:
        """Sends a command; returns its number."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        return self.number

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends a command, and returns its result."""
        number = self.send(method, **parameters)
        while True:
            message = self.message()
            if message.get("id") == number:
                if "error" in message:
                    raise SystemExit(f"page_pictures: {method}: {message['error']}")
                result: dict[str, Any] = message["result"]
                return result

    def evaluate(self, script: str) -> Any:
        """The value of a script on the page; none if it has failed."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        return result["result"].get("value")

    def holds(self, condition: str) -> None:
        """Returns when a condition holds."""
        end = time.monotonic() + SECONDS_MAX
        while not self.evaluate(f"!!({condition})"):
            if time.monotonic() > end:
                text = self.evaluate("document.body.innerText")
                raise SystemExit(f"page_pictures: not so: {condition}; the page shows:\n{text}")
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """Presses a key."""
        for kind in ("keyDown", "keyUp"):
            event: dict[str, Any] = {"type": kind, "key": key}
            if len(key) == 1 and kind == "keyDown":
                event["text"] = key
            if key in CODES:
                event["windowsVirtualKeyCode"] = CODES[key]
            self.call("Input.dispatchKeyEvent", **event)

    def picture(self, path: str) -> None:
        """Writes what is seen, down to the end of the page."""
        # What has changed is marked for two seconds; pictures have no marks.
        self.holds("!document.querySelector('.changed')")
        box = self.evaluate(
            "({width: innerWidth, height: Math.ceil(document.body.getBoundingClientRect().bottom)})"
        )
        height = min(self.height, max(1, box["height"]))
        shot = self.call(
            "Page.captureScreenshot",
            format="webp",
            quality=QUALITY,
            clip={"x": 0, "y": 0, "width": box["width"], "height": height, "scale": 1},
        )
        with open(f"{path}.new", "wb") as file:
            file.write(base64.b64decode(shot["data"]))
        os.replace(f"{path}.new", path)

    def take(self, step: str) -> None:
        """Does a step."""
        kind, _, rest = step.partition(":")
        match kind:
            case "shows":
                self.holds(f"document.body.innerText.includes({json.dumps(rest)})")
            case "holds":
                self.holds(rest)
            case "press":
                self.press(rest)
            case "click":
                button = (
                    "[...document.querySelectorAll('button')]"
                    f".find((one) => one.innerText.trim() === {json.dumps(rest)})"
                )
                self.holds(button)
                self.evaluate(f"{button}.click()")
            case "type":
                self.call("Input.insertText", text=rest)
            case "waits":
                while not os.path.exists(rest):
                    time.sleep(0.05)
            case "picture":
                self.picture(rest)
            case _:
                raise SystemExit(f"page_pictures: there is no step {kind}")

    def close(self) -> None:
        """Ends the browser."""
        self.session = None
        self.call("Browser.close")
        self.process.wait()


def main() -> int:
    """Returns the exit status."""
    if len(sys.argv) < 4:
        sys.stderr.write(__doc__ or "")
        return 64
    url, size, scheme, *steps = sys.argv[1:]
    width, height = (int(number) for number in size.split("x"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        browser = Browser(directory, width, height, scheme)
        browser.call("Page.navigate", url=url)
        for step in steps:
            browser.take(step)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
