/** The page in the frame of a preview: shows what the page around it sends. The page has no origin, and only this service may frame it. */
import type { FrameContent } from '../editing/preview.ts';

addEventListener('message', ({ source, data }: MessageEvent<FrameContent>) => {
  if (source !== parent) return;
  if (data.runs) showInFrame(data.html);
  else takeOver(data.html);
});

/** Scripts of a page run in a frame of their own, so that they cannot lead this one elsewhere. */
function showInFrame(html: string): void {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts allow-forms allow-popups');
  frame.style.cssText = 'display: block; position: fixed; inset: 0; width: 100%; height: 100%; border: 0';
  frame.title = document.title;
  frame.srcdoc = html;
  document.head.replaceChildren();
  document.body.replaceChildren(frame);
}

/** Our own rendering has no scripts. In place of the one before, it keeps the place where its reader is. */
function takeOver(html: string): void {
  const { scrollX, scrollY } = window;
  const page = new DOMParser().parseFromString(html, 'text/html');
  document.replaceChild(document.adoptNode(page.documentElement), document.documentElement);
  scrollTo(scrollX, scrollY);
}

/** A link would put another page in place of this one. */
addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.getAttribute('href')?.startsWith('#') !== false) return;
  event.preventDefault();
  open(link.href, '_blank', 'noopener');
});
