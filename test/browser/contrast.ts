import type { Page } from 'playwright-core';
import { inPage } from './browser.ts';

/** Contrast that WCAG 2 requires of text; large text may be fainter. */
const LEAST = { small: 4.5, large: 3 };

/** The texts of a page that are shown too faint, each with its contrast. Disabled controls are nobody's to read. */
export const faintTexts = (page: Page): Promise<string[]> =>
  inPage(
    page,
    `(() => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const parsed = new Map();
      const parse = (colour) => parsed.get(colour) ?? parsed.set(colour, draw(colour)).get(colour);
      const draw = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        return { rgb: [r, g, b], alpha: a / 255 };
      };
      const over = ({ rgb, alpha }, below, opacity = 1) => rgb.map((part, i) => part * alpha * opacity + below[i] * (1 - alpha * opacity));
      const luminance = (rgb) => {
        const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const line = (element) => (element ? [element, ...line(element.parentElement)] : []);
      const canvasColour = parse(getComputedStyle(document.documentElement).colorScheme === 'dark' ? '#121212' : '#fff').rgb;
      const faint = new Set();
      for (const element of document.querySelectorAll('body *')) {
        const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
        const { width, height } = element.getBoundingClientRect();
        if (own.length === 0 || width < 2 || height < 2) continue;
        if (element.closest('option, noscript, :disabled, .disabled') || !element.checkVisibility({ visibilityProperty: true })) continue;
        const all = line(element);
        const behind = all.toReversed().reduce((below, one) => over(parse(getComputedStyle(one).backgroundColor), below), canvasColour);
        const opacity = all.reduce((product, one) => product * Number(getComputedStyle(one).opacity), 1);
        const style = getComputedStyle(element);
        const [light, dark] = [luminance(over(parse(style.color), behind, opacity)), luminance(behind)].toSorted((a, b) => b - a);
        const contrast = (light + 0.05) / (dark + 0.05);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (contrast < (large ? ${LEAST.large} : ${LEAST.small}))
          faint.add(contrast.toFixed(2) + ' ' + element.tagName + '.' + element.className + ': ' + own[0].data.trim().slice(0, 30));
      }
      return [...faint];
    })()`,
  );
