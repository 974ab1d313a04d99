const box = document.getElementById("filter");
const rows = [...document.querySelectorAll("[data-row]")].map((row) => [row, row.textContent.toLowerCase()]);
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const [row, text] of rows) {
    row.hidden = !words.every((word) => text.includes(word));
  }
});
