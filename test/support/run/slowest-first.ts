import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest begin first, so that no core waits for one of them at the end. How long each takes is read off the table
 * of docs/testing.md, which is for people too; one that is not in it takes a moment.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = secondsByFile(readFileSync(join(this.ctx.config.root, 'docs/testing.md'), 'utf8'));
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      seconds.get(moduleId.slice(this.ctx.config.root.length + 1)) ?? 0;
    return files.toSorted((a, b) => secondsOf(b) - secondsOf(a) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

/** @returns the seconds of each test file in the rows `| 12.3 | test/… |` of a Markdown table */
export function secondsByFile(markdown: string): Map<string, number> {
  const rows = markdown.matchAll(/^\| *(\d+(?:\.\d+)?) *\| *`?(test\/[^`|\s]+)`? *\|/gm);
  return new Map([...rows].map(([, seconds, file]) => [file!, Number(seconds)]));
}
