// How probable each grade is; the bar of the grade that is given stands out.
function certaintyChart(component, mass, given) {
  const width = Math.max(12, Math.min(34, 300 / mass.length));
  const [height, highest] = [60, Math.max(...mass, 1)];
  const every = Math.ceil(40 / width);
  const said = mass.map((percent, bar) => `${component.bars[bar]}: ${percent}%`).join(", ");
  const label = `Probability of each grade: ${said}`;
  const size = { width: width * mass.length, height: height + 32 };
  const picture = element("svg", { class: "bars", role: "img", "aria-label": label, ...size,
    viewBox: `0 0 ${size.width} ${size.height}` });
  mass.forEach((percent, bar) => {
    const tall = (percent / highest) * height;
    const middle = width * (bar + 0.5);
    const shape = { x: width * bar + 2, y: 16 + height - tall, width: width - 4, height: Math.max(tall, 0.5) };
    picture.append(element("rect", { ...shape, class: bar === given ? "given" : "" }));
    if (percent && width > 25) picture.append(element("text", { x: middle, y: 12 + height - tall }, `${percent}%`));
    if (width > 25 || bar % every === 0) {
      picture.append(element("text", { x: middle, y: height + 29 }, component.bars[bar].split(" ")[0]));
    }
  });
  return picture;
}
