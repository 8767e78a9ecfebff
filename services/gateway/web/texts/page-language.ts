/**
 * The texts for browser code, in the language of the page: for a bundle in another language `scripts.ts` puts that
 * language's file in place of this one.
 */
export * from './en.ts';
