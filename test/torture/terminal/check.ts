import type { Facts, Violation } from './facts.js';
import { brokenPromises } from './promises.js';
import { tagsIn } from './prompts.js';
import { readTakes } from './takes.js';

/** Pure: everything in the facts of one scenario that a gateway must not do. */
export function check(facts: Facts): Violation[] {
  const { first, violations, races } = readTakes(facts);
  return [
    ...violations,
    ...brokenPromises(facts, first).filter((each) => !isExcused(each, races)),
    ...answeredDialogs(facts),
    ...fedShell(facts),
  ];
}

/** Whether somebody submitted a text that we had given up: it was taken all the same. */
const isExcused = ({ kind, what }: Violation, races: readonly string[]): boolean =>
  kind === 'taken though failed' && races.some((tag) => what.includes(tag));

/** A key has an effect within this time. */
const effectMilliseconds = 5000;
/** An interrupt may press Escape for so long. */
const interruptMilliseconds = 12_000;

/** Each answer must be somebody's key, or the Escape of an interrupt that was asked for. */
function answeredDialogs({ ledger, personKeys, interruptsAsked }: Facts): Violation[] {
  const unused = [...personKeys];
  return ledger.flatMap(({ dialog, key, answer, at }): Violation[] => {
    if (dialog === undefined || key === undefined) return [];
    const when = Date.parse(at);
    const by = unused.findIndex((each) => each.key === key && isWithin(when, each.at, effectMilliseconds));
    if (by !== -1) {
      unused.splice(by, 1);
      return [];
    }
    const wasAsked = interruptsAsked.some((asked) => isWithin(when, asked, interruptMilliseconds));
    return key === 'Escape' && wasAsked
      ? []
      : [
          {
            kind: 'dialogs answered',
            what: `a ${dialog} dialog got ${key} at ${at}, which chose ${answer ?? 'nothing'}`,
          },
        ];
  });
}

/** The ledger counts in whole milliseconds, and keys are noted before they are pressed. */
const isWithin = (when: number, after: number, longest: number): boolean =>
  when >= after - 50 && when <= after + longest;

function fedShell({ shell, prompts }: Facts): Violation[] {
  const ours = new Set(prompts.map(({ tag }) => tag));
  return tagsIn(shell)
    .filter((tag) => ours.has(tag))
    .map((tag) => {
      const at = shell.indexOf(tag);
      return {
        kind: 'shell fed',
        what: `the shell was given ${tag}: ${JSON.stringify(shell.slice(Math.max(0, at - 40), at + 120))}`,
      };
    });
}
