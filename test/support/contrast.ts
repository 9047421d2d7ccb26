import type { Page } from 'playwright-core';

/** A text that is too near in colour to what is behind it. */
export interface FaintText {
  text: string;
  /** Between 1 and 21, as WCAG 2 counts. */
  contrast: number;
  /** The elements that it is in, outermost first. */
  within: string;
}

/** Every text that can be seen whose contrast is below a limit, by what is computed for it. */
export const faintTexts = (page: Page, limit: number): Promise<FaintText[]> => page.evaluate(look, limit);

/** Runs in the browser, so it has everything that it needs within itself. */
function look(limit: number): FaintText[] {
  type Colour = [red: number, green: number, blue: number, alpha: number];
  const read = (text: string): Colour => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue, alpha];
  };
  const over = ([red, green, blue, alpha]: Colour, behind: Colour): Colour => {
    const mix = (front: number, back: number): number => front * alpha + back * (1 - alpha);
    return [mix(red, behind[0]), mix(green, behind[1]), mix(blue, behind[2]), 1];
  };
  const luminance = ([red, green, blue]: Colour): number => {
    const part = (value: number): number =>
      value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  };
  const lineage = (element: Element): Element[] => {
    const { parentElement } = element;
    return parentElement ? [element, ...lineage(parentElement)] : [element];
  };
  const behind = (element: Element): Colour =>
    lineage(element)
      .map((each) => read(getComputedStyle(each).backgroundColor))
      .reduceRight<Colour>((below, colour) => over(colour, below), [255, 255, 255, 1]);
  const contrastOf = (element: Element): number => {
    const back = behind(element);
    const opacity = lineage(element).reduce((all, each) => all * Number(getComputedStyle(each).opacity), 1);
    const [red, green, blue, alpha] = read(getComputedStyle(element).color);
    const [one, other] = [luminance(over([red, green, blue, alpha * opacity], back)), luminance(back)];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  const found: FaintText[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.textContent?.trim() ?? '';
    const element = texts.currentNode.parentElement;
    if (text === '' || !element || element.getClientRects().length === 0) continue;
    // A select draws its options itself.
    if (element.tagName === 'OPTION' || getComputedStyle(element).visibility === 'hidden') continue;
    const contrast = contrastOf(element);
    if (contrast >= limit) continue;
    const within = lineage(element)
      .slice(0, 3)
      .map((each) => `${each.tagName.toLowerCase()}.${each.getAttribute('class') ?? ''}`);
    found.push({ text: text.slice(0, 40), contrast, within: within.reverse().join(' > ') });
  }
  return found;
}
