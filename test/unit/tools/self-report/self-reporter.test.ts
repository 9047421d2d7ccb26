import { appendFileSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../../src/tools/adapter/json-value.js';
import {
  type Binder,
  evidenceOf,
  type RowReader,
  type SelfReportFact,
} from '../../../../src/tools/self-report/self-report.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { HeardFacts } from '../heard-facts.js';

/** Each row is a prompt; it counts the rows that it has read. */
class PromptReader implements RowReader {
  #rows = 0;

  read(row: Record<string, unknown>, place: { file: string; offset: number }): SelfReportFact[] {
    this.#rows += 1;
    const said = { evidence: evidenceOf('row', place), at: textOf(row.at), conversation: null, turn: null };
    return [{ kind: 'prompt_taken', text: `${row.text} (${this.#rows})`, pending: false, ...said }];
  }
}

const start = '2026-01-01T00:00:00.000Z';
const later = '2026-01-01T00:00:01.000Z';
const earlier = '2025-12-31T23:59:59.999Z';
const row = (text: string, at: string = later): string => `${JSON.stringify({ text, at })}\n`;

/** A folder with some files; time stands still, so only events of the file system wake the reporter. */
class Stage {
  readonly folder = temporaryFolder();
  readonly clock = new VirtualClock(start);
  readonly files: string[];
  looks = 0;

  constructor(...files: string[]) {
    this.files = files;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  get binder(): Binder {
    return {
      check: () => {
        this.looks += 1;
        return {
          facts: [],
          rowFiles: this.files.map((name) => ({
            path: this.path(name),
            shown: name,
            reader: () => new PromptReader(),
          })),
          folders: [this.folder],
        };
      },
    };
  }
}

describe('a reporter', () => {
  it('tells what is appended from now on, as soon as the folder changes', async () => {
    const stage = new Stage('a', 'b');
    writeFileSync(stage.path('a'), row('old'));
    const heard = new HeardFacts(stage.binder, stage.clock);
    await heard.reporter.mark();
    appendFileSync(stage.path('a'), row('new'));
    await heard.heard('- prompt_taken: new (1)');
    expect(heard.facts[0]?.evidence).toBe(`row at byte ${row('old').length} of a`);
    writeFileSync(stage.path('b'), row('first'));
    await heard.heard('- prompt_taken: new (1)', '- prompt_taken: first (1)');
  });

  it('has reported everything before a mark when the mark is there', async () => {
    const stage = new Stage('a');
    const heard = new HeardFacts(stage.binder, stage.clock);
    await heard.reporter.mark();
    for (let round = 1; round <= 20; round += 1) {
      appendFileSync(stage.path('a'), row('x'));
      await heard.reporter.mark();
      expect(heard.facts.length).toBe(round);
    }
  });

  it('goes on where another one stood', async () => {
    const stage = new Stage('a', 'b');
    writeFileSync(stage.path('a'), row('old'));
    const first = new HeardFacts(stage.binder, stage.clock);
    await first.reporter.mark();
    appendFileSync(stage.path('a'), row('one').slice(0, 5));
    const mark = await first.reporter.mark();
    await first.reporter.close();
    appendFileSync(stage.path('a'), row('one').slice(5));
    writeFileSync(stage.path('b'), row('two') + row('very old', earlier));
    stage.clock.pass(60_000);
    writeFileSync(stage.path('c'), row('three'));
    stage.files.push('c');
    const second = new HeardFacts(stage.binder, stage.clock, JSON.parse(JSON.stringify(mark)));
    await second.heard(
      ...['- prompt_taken: one (1)', '- prompt_taken: two (1)', '- prompt_taken: three (1)'],
    );
    expect(mark).toEqual({
      since: start,
      offsets: { [stage.path('a')]: row('old').length, [stage.path('b')]: 0 },
    });
  });

  it('a file that is found late brings nothing from before the reporter', async () => {
    const stage = new Stage();
    writeFileSync(stage.path('c'), row('older', earlier) + row('newer'));
    const heard = new HeardFacts(stage.binder, stage.clock);
    await heard.reporter.mark();
    stage.files.push('c');
    await heard.reporter.mark();
    expect(heard.lines).toEqual(['- prompt_taken: newer (2)']);
  });

  it('of a large file that is found late only the end is read', async () => {
    const stage = new Stage();
    const filler = row('x'.repeat(1024 * 1024));
    writeFileSync(stage.path('c'), row('beginning') + filler.repeat(5) + row('end'));
    const heard = new HeardFacts(stage.binder, stage.clock);
    await heard.reporter.mark();
    stage.files.push('c');
    await heard.reporter.mark();
    expect(heard.lines.at(0)).not.toContain('beginning');
    expect(heard.lines.at(-1)).toMatch(/^- prompt_taken: end/);
  });

  it('a file that was removed and made again is read by a new reader', async () => {
    const stage = new Stage('a');
    const heard = new HeardFacts(stage.binder, stage.clock);
    await heard.reporter.mark();
    writeFileSync(stage.path('a'), row('one') + row('two'));
    await heard.until(() => heard.facts.length === 2);
    unlinkSync(stage.path('a'));
    writeFileSync(stage.path('a'), row('three'));
    await heard.heard('- prompt_taken: one (1)', '- prompt_taken: two (2)', '- prompt_taken: three (1)');
  });

  it('says once what the machine refuses, and reads on elsewhere', async () => {
    const stage = new Stage('folder', 'a');
    const heard = new HeardFacts(stage.binder, stage.clock);
    await heard.reporter.mark();
    mkdirSync(stage.path('folder'));
    await heard.until(() => heard.faults.length > 0);
    appendFileSync(stage.path('a'), row('one'));
    await heard.heard('- prompt_taken: one (1)');
    await heard.reporter.mark();
    expect(heard.faults).toEqual([expect.stringMatching(/folder could not be read: EISDIR/)]);
  });

  it('looks again after a look that failed', async () => {
    const stage = new Stage('a');
    const { binder } = stage;
    const refusal = Object.assign(new Error('no'), { code: 'EACCES', path: '/home/x' });
    const refusing: Binder = {
      check: () => {
        if (stage.looks > 0) return binder.check();
        stage.looks += 1;
        throw refusal;
      },
    };
    const heard = new HeardFacts(refusing, stage.clock);
    await heard.until(() => heard.faults.length > 0);
    expect(heard.faults).toEqual([expect.stringMatching(/^\/home\/x: .*\(EACCES\)$/)]);
    await heard.reporter.mark();
    appendFileSync(stage.path('a'), row('one'));
    await heard.heard('- prompt_taken: one (1)');
  });

  it('is silent once it was closed', async () => {
    const stage = new Stage('a');
    const heard = new HeardFacts(stage.binder, stage.clock);
    await heard.reporter.mark();
    const closing = heard.reporter.close();
    appendFileSync(stage.path('a'), row('one'));
    await closing;
    const { looks } = stage;
    await heard.reporter.mark();
    stage.clock.pass(10_000);
    await heard.reporter.close();
    expect([heard.facts, stage.looks]).toEqual([[], looks]);
  });

  it('sees what made no event after a while', async () => {
    const stage = new Stage('a');
    const elsewhere: Binder = { check: () => ({ ...stage.binder.check(), folders: [] }) };
    const heard = new HeardFacts(elsewhere, stage.clock);
    await heard.reporter.mark();
    appendFileSync(stage.path('a'), row('one'));
    expect(heard.facts).toEqual([]);
    stage.clock.pass(1000);
    await heard.heard('- prompt_taken: one (1)');
  });
});
