// One step at a time: what an equation reads, then what it makes, then the next.

const articles = [...document.querySelectorAll("article")];
const lines = [...document.querySelectorAll("#source span")];
const firstLine = Number(document.querySelector("#source pre").dataset.first);
const drawing = document.querySelector("#drawing svg");
const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
const [back, next] = ["back", "next"].map((id) => document.getElementById(id));
let at = 0;

const answerOf = (index) => articles[index].querySelector(".answer");
const isAsking = () => Boolean(answerOf(at)) && !answerOf(at).classList.contains("is-known");

// Show a step; one that is gone back to has its results.
function show(index, isKnown) {
  at = index;
  articles.forEach((article, other) => article.classList.toggle("is-here", other === at));
  if (answerOf(at)) answerOf(at).classList.toggle("is-known", isKnown);
  const line = Number(articles[at].dataset.line || 0) - firstLine;
  lines.forEach((each, number) => each.classList.toggle("is-here", number === line));
  if (lines[line]) lines[line].scrollIntoView({ block: "nearest" });
  placeFrame(articles[at].dataset.place || "");
  document.getElementById("place").textContent = `${at + 1} of ${articles.length}`;
  document.getElementById("steps").scrollTop = 0;
  back.disabled = at === 0;
  next.disabled = at === articles.length - 1 && !isAsking();
  next.textContent = isAsking() ? "Reveal" : "Next";
}

function placeFrame(place) {
  if (!drawing) return;
  frame.toggleAttribute("hidden", !place);
  frame.style.display = place ? "" : "none";
  if (!place) return;
  const [x, y, width, height] = place.split(" ").map(Number);
  Object.entries({ x: x - 3, y: y - 3, width: width + 6, height: height + 6, rx: 6 })
    .forEach(([name, value]) => frame.setAttribute(name, value));
  frame.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function goOn() {
  if (isAsking()) show(at, true);
  else if (at < articles.length - 1) show(at + 1, false);
}

function goBack() {
  if (at > 0) show(at - 1, true);
}

const keys = {
  " ": goOn, ArrowRight: goOn, PageDown: goOn, ArrowLeft: goBack, PageUp: goBack, Backspace: goBack,
};
document.addEventListener("keydown", (event) => {
  const act = event.key === " " && event.shiftKey ? goBack : keys[event.key];
  if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " " && event.target.closest("button")) return; // it presses the button
  event.preventDefault();
  act();
});
addEventListener("beforeprint", () => setTheme("light"));
next.addEventListener("click", goOn);
back.addEventListener("click", goBack);

document.documentElement.classList.add("scripted");
frame.setAttribute("class", "here");
if (drawing) drawing.append(frame);
show(0, false);
