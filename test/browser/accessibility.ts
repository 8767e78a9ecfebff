import type { Page } from 'playwright-core';
import { inPage } from './browser.ts';

/** Checks the minimum that assistive technology needs of a page; returns the violations. */
export const accessibilityFaults = (page: Page): Promise<string[]> =>
  inPage(
    page,
    `(() => {
      const faults = [];
      const all = (selector) => [...document.querySelectorAll(selector)];
      const named = (e) => (e.textContent.trim() || e.getAttribute('aria-label') || e.querySelector('img[alt]:not([alt=""])'));
      if (!document.documentElement.lang) faults.push('no language');
      if (!document.title.trim()) faults.push('no title');
      if (all('main').length !== 1) faults.push('not one main');
      if (all('h1').length !== 1) faults.push('not one h1');
      let level = 0;
      for (const heading of all('h1,h2,h3,h4')) {
        const own = Number(heading.tagName[1]);
        if (own > level + 1) faults.push('heading skips a level: ' + heading.textContent);
        level = own;
      }
      for (const field of all('input:not([type=hidden]),select,textarea'))
        if (!field.labels.length && !field.getAttribute('aria-label')) faults.push('no label: ' + field.id);
      for (const image of all('img')) if (!image.hasAttribute('alt')) faults.push('no alt: ' + image.src);
      for (const element of all('a[href],button')) if (!named(element) && !element.closest('[hidden]')) faults.push('no name: ' + element.outerHTML);
      const ids = all('[id]').map((e) => e.id);
      for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push('id twice: ' + id);
      for (const element of all('[aria-labelledby],[aria-describedby]'))
        for (const id of (element.getAttribute('aria-labelledby') ?? element.getAttribute('aria-describedby')).split(' '))
          if (!document.getElementById(id)) faults.push('points nowhere: ' + id);
      if (document.documentElement.scrollWidth > innerWidth) faults.push('scrolls sideways');
      return faults;
    })()`,
  );
