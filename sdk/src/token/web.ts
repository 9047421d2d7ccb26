import type { FindToken } from './token.js';

/** A browser has no place to look: a page names the token itself. */
export const findToken: FindToken = async () => null;
