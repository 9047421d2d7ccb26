import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../foundation/version.js';

/** What the page loads, by its name: the engine, and what the build made of `src/page/`. */
export function pageFiles(): ReadonlyMap<string, string> {
  const engine = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const own = join(packageRoot, 'dist', 'page');
  const inFolder = (folder: string, ...names: string[]): [string, string][] =>
    names.map((name) => [name, join(folder, name)]);
  return new Map([
    ...inFolder(engine, 'swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-16x16.png', 'favicon-32x32.png'),
    ...inFolder(own, 'page.css', 'page.js'),
  ]);
}

/** @param title goes into the page as it is: it is a text of ours. */
export const pageHtml = (title: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="icon" type="image/png" href="./favicon-32x32.png" sizes="32x32">
  <link rel="icon" type="image/png" href="./favicon-16x16.png" sizes="16x16">
  <link rel="stylesheet" href="./swagger-ui.css">
  <link rel="stylesheet" href="./page.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="./swagger-ui-bundle.js"></script>
<script src="./page.js"></script>
</body>
</html>
`;
