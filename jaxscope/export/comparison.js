// Shows one stage at a time, and leads from a row of the table to the marks in both graphs.
const sections = [...document.querySelectorAll("section[data-stage]")];
const buttons = [...document.querySelectorAll("nav button")];

function showStage(key) {
  for (const section of sections) section.hidden = section.dataset.stage !== key;
  for (const button of buttons) {
    button.setAttribute("aria-pressed", String(button.dataset.stage === key));
  }
}

function chooseRow(section, row) {
  for (const old of section.querySelectorAll(".is-chosen")) old.classList.remove("is-chosen");
  const line = section.querySelector(`tr[data-row="${row}"]`);
  if (line) {
    line.classList.add("is-chosen");
    line.scrollIntoView({ block: "nearest" });
  }
  for (const mark of section.querySelectorAll(".mark")) {
    if (!mark.dataset.rows.split(" ").includes(row)) continue;
    mark.classList.add("is-chosen");
    const pane = mark.closest(".graph");
    const box = mark.getBoundingClientRect();
    const sight = pane.getBoundingClientRect();
    pane.scrollBy({
      left: box.left + box.width / 2 - sight.left - sight.width / 2,
      top: box.top + box.height / 2 - sight.top - sight.height / 2,
    });
  }
}

document.documentElement.classList.add("scripted");
for (const button of buttons) {
  button.addEventListener("click", () => showStage(button.dataset.stage));
}
for (const section of sections) {
  const choose = (event) => {
    const target = event.target.closest("[data-row], .mark");
    if (!target) return;
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    chooseRow(section, target.dataset.row ?? target.dataset.rows.split(" ")[0]);
  };
  section.addEventListener("click", choose);
  section.addEventListener("keydown", choose);
}
const first = buttons.find((button) => button.dataset.first !== undefined) ?? buttons[0];
if (first) showStage(first.dataset.stage);
