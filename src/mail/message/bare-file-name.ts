/**
 * Pure: what a sender calls a file, without the places that stand before it, and without what is invisible or turns a text around, by
 * which `txt.exe` would look like `exe.txt`.
 */
export const bareFileName = (text: string): string => text.replace(/^.*[/\\]/su, '').replace(/\p{Cf}/gu, '');
