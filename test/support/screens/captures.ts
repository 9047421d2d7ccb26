import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../fixtures/screens/', import.meta.url);

/** The output of `tmux capture-pane -p -e` for a real tool. @param path such as `claude/2.1.330/10-ready-idle`. */
export const capturedScreen = (path: string): string => readFileSync(new URL(`${path}.ansi`, folder), 'utf8');

/** The paths of all captured screens of a tool. */
export const capturedScreens = (tool: string): string[] =>
  readdirSync(new URL(`${tool}/`, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ansi'))
    .map((file) => `${tool}/${file.replace(/\.ansi$/, '')}`)
    .sort();
