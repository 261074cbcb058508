"use strict";
// The page of the viewer: takes a file that is dropped, chosen or named by ?file=, and shows what
// the worker makes of it. A file is never sent anywhere.

const part = (id) => document.getElementById(id);
const worker = new Worker("worker.js");
let number = 0; // of the file that was asked for last; what belongs to earlier ones is dropped
let made = ""; // address of the page that was made last

function say(text, isError = false) {
  part("said").textContent = text;
  part("said").className = isError ? "is-error" : "";
}

function show(state) {
  document.body.dataset.state = state; // start, busy or open
  part("progress").hidden = state !== "busy";
}

async function take(name, read) {
  number += 1;
  const mine = number;
  part("unfold").hidden = true;
  show("busy");
  part("progress").removeAttribute("value");
  say(`Reading ${name}`);
  try {
    const data = await read();
    if (mine !== number) return;
    part("name").textContent = name;
    document.title = `${name} — jaxscope`;
    worker.postMessage({ number, name, data }, [data]);
  } catch (error) {
    if (mine === number) fail(`${name} could not be read.\n${error.message || error}`);
  }
}

function fail(text) {
  show("start");
  say(text, true);
}

worker.addEventListener("message", ({ data: told }) => {
  if (told.kind === "broken") fail(`The viewer could not start.\n${told.text}`);
  if (told.kind === "ready") document.body.dataset.ready = "yes";
  if (told.number !== number) return;
  const isOpen = document.body.dataset.state === "open";
  if (told.kind === "step") {
    say(told.text);
    part("progress").value = told.done;
    part("more").textContent = `Drawing what closed groups hold: ${Math.round(100 * told.done)} %`;
  }
  if (told.kind === "error" && isOpen) part("more").textContent = told.text;
  if (told.kind === "error" && !isOpen) fail(told.text);
  if (told.kind === "page") {
    keep(told.page);
    part("more").textContent = "";
    part("unfold").hidden = true;
    // Who is at work in the page that is there is asked before another takes its place.
    if (isOpen && document.activeElement === part("page")) part("unfold").hidden = false;
    else part("page").src = made;
    show("open");
  }
});

function keep(page) {
  URL.revokeObjectURL(made);
  made = URL.createObjectURL(page);
  part("save").href = made;
  part("save").download = part("name").textContent.replace(/\.jaxscope$/, "") + ".html";
}

part("unfold").addEventListener("click", () => {
  part("page").src = made;
  part("unfold").hidden = true;
});
worker.addEventListener("error", (event) => fail(`The viewer failed.\n${event.message || ""}`));

part("file").addEventListener("change", () => {
  const [file] = part("file").files;
  if (file) take(file.name, () => file.arrayBuffer());
  part("file").value = "";
});
for (const button of document.querySelectorAll(".choose")) {
  button.addEventListener("click", () => part("file").click());
}
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) take(file.name, () => file.arrayBuffer());
});

const asked = new URLSearchParams(location.search).get("file"); // a path from here
if (asked) {
  take(asked.split("/").pop(), async () => {
    const answer = await fetch(asked.split("/").map(encodeURIComponent).join("/"));
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    return answer.arrayBuffer();
  });
} else {
  show("start");
}
