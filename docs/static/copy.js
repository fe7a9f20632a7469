// A button on each block of code copies it, without prompts, and without the output of an interactive session.
for (const block of navigator.clipboard ? document.querySelectorAll("div.highlight") : []) {
  if (block.closest(".cell_output")) continue;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    const lines = block.querySelector("pre").textContent.trimEnd().split("\n");
    const typed = lines.filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4));
    await navigator.clipboard.writeText((typed.length ? typed : lines).join("\n") + "\n");
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  block.append(button);
}
