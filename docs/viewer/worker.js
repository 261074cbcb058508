"use strict";
// Runs Python beside the page, so that the page answers while a capture is drawn. It is told of one
// file at a time, {number, name, data}, and answers with steps, with a page whose groups stay closed
// where a whole one takes long, with the whole page, or with what went wrong.

importScripts("pyodide.js");

async function start() {
  const load = async (name) => {
    const answer = await fetch(name);
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
    return answer.arrayBuffer();
  };
  const folder = new URL(".", self.location).href;
  const [python, packages] = await Promise.all([loadPyodide({ indexURL: folder }), load("packages.zip")]);
  python.unpackArchive(packages, "zip", { extractDir: "/viewer" });
  python.runPython("import sys; sys.path.insert(0, '/viewer')");
  const opener = python.pyimport("open_capture");
  return (name, data, onStep, onPage) => {
    const path = "/tmp/" + name.replace(/[/\0]/g, "_");
    python.FS.writeFile(path, data);
    opener.open_capture(path, onStep, onPage);
  };
}

const started = start();
started.then(
  () => postMessage({ kind: "ready" }),
  (error) => postMessage({ kind: "broken", text: String(error.message || error) }),
);

function explain(error) {
  // Of Python's message the last lines are ours: what happened, why, what to try.
  const text = String(error.message || error);
  const said = text.split("\nValueError: ");
  return said.length > 1 ? said.pop().trim() : `The viewer failed.\n${text.trim().split("\n").pop()}`;
}

self.addEventListener("message", async ({ data: file }) => {
  let openCapture;
  try {
    openCapture = await started;
  } catch {
    return; // "broken" was told
  }
  const { number } = file;
  const onStep = (text, done) => postMessage({ kind: "step", number, text: String(text), done });
  const onPage = (parts) => {
    postMessage({ kind: "page", number, page: new Blob(parts.toJs(), { type: "text/html" }) });
  };
  try {
    openCapture(file.name, new Uint8Array(file.data), onStep, onPage);
  } catch (error) {
    postMessage({ kind: "error", number, text: explain(error) });
  }
});
