import { html, type SafeHtml } from '../../../shared/pages/html.ts';

/** The top of every page of the service. */
export const siteHeader = (): SafeHtml =>
  html`<header class="site-header"><a class="brand" href="/"><img src="/assets/favicon.svg" alt="" width="26" height="26">Perch</a><nav class="site-nav" aria-label="Perch"><a href="/gallery">Gallery</a><a href="/docs">Docs</a><a href="/stats">Stats</a></nav></header>`;
