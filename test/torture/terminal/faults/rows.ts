import { setTimeout as after } from 'node:timers/promises';
import type { ViolationKind } from '../facts.js';
import { untilReady, untilRest } from '../rest.js';
import type { Door, PlannedPrompt } from '../scenario.js';
import type { Stage } from '../stage.js';
import { readTakes } from '../takes.js';
import type { Count, FaultRow, Outcome } from './fault-row.js';

const lookMilliseconds = 50;
const longestMilliseconds = 20_000;
const refusalLimit = 5000;
const waitingPrompts = 10;

const takenOf = (facts: Outcome['facts']): ReadonlyMap<string, number> => readTakes(facts).first;

const inOrder = ({ facts, violations }: Outcome): number =>
  takenOf(facts).size - violations.filter(({ kind }) => kind === 'out of order').length;

/** The prompts behind the first, which ran while they waited. */
const afterRestart = ({ facts }: Outcome): number =>
  facts.prompts.filter(({ door, tag }) => door === 'request' && takenOf(facts).has(tag)).length;

/** The faults in the order of the table. */
export const faultRows: readonly FaultRow[] = [
  {
    name: 'paste swallowed',
    switches: ['swallow-paste=1'],
    refusalLimit,
    play: async (stage, tagOf) => void (await stage.send([prompt(tagOf(1), 'direct')])),
    counts: [falseSent(1)],
  },
  {
    name: 'deaf after a turn',
    switches: ['deaf-after-turn=3000'],
    refusalLimit,
    play: async (stage, tagOf) => {
      await stage.send([prompt(tagOf(1), 'direct')]);
      await untilReady(stage.agent);
      await stage.send([prompt(tagOf(2), 'direct')]);
    },
    counts: [falseSent(2)],
  },
  {
    name: 'deaf at start',
    switches: ['deaf-start=4000'],
    refusalLimit,
    play: async (stage, tagOf) => void (await stage.send([prompt(tagOf(1), 'direct')])),
    counts: [falseSent(1)],
  },
  {
    name: 'Enter taken as a line break, once',
    switches: ['enter-as-newline=1'],
    refusalLimit: null,
    play: async (stage, tagOf) => void (await stage.send([prompt(tagOf(1), 'direct')])),
    counts: [notDelivered('not delivered although it could be', 1), falseSent(1)],
  },
  {
    name: 'Enter taken as a line break, always',
    switches: ['enter-as-newline=99'],
    refusalLimit,
    play: async (stage, tagOf) => void (await stage.send([prompt(tagOf(1), 'direct')])),
    counts: [falseSent(1)],
  },
  {
    name: 'dialog up',
    switches: [],
    refusalLimit: null,
    play: async (stage, tagOf) => {
      await stage.send([prompt(tagOf(1), 'direct', '[[tool=Bash {"command":"ls"}]] ')]);
      await untilLedger(stage, ({ shown }) => shown === true);
      await stage.send([prompt(tagOf(2), 'request')]);
      await rest(stage);
    },
    counts: [notDelivered('prompt lost', 2), broken('dialogs answered', 'approved by our Enter', 1)],
  },
  {
    name: 'agent gone to a shell',
    switches: ['crash-to-shell=1'],
    refusalLimit: null,
    play: async (stage, tagOf) => {
      await stage.send([prompt(tagOf(1), 'direct')]);
      await untilLedger(stage, ({ exit }) => exit !== undefined);
      const forced = { ...prompt(tagOf(3), 'direct'), forced: true };
      await stage.send([prompt(tagOf(2), 'direct'), forced, prompt(tagOf(4), 'request')]);
      await rest(stage);
    },
    counts: [broken('shell fed', 'run by the shell', 4)],
  },
  {
    name: '`ESC[201~` in a prompt',
    switches: [],
    refusalLimit: null,
    play: async (stage, tagOf) =>
      void (await stage.send([prompt(tagOf(1), 'direct', 'before\u001b[201~\r\u001b[200~after ')])),
    counts: [broken('changed', 'changed', 1), broken('doubled', 'doubled', 1), notDelivered('lost', 1)],
  },
  {
    name: 'four sends at once',
    switches: [],
    refusalLimit: null,
    play: async (stage, tagOf) => {
      await stage.send([1, 2, 3, 4].map((serial) => prompt(tagOf(serial), 'request')));
      await rest(stage);
    },
    counts: [broken('merged', 'merged', 4), delivered('delivered in order', 4, inOrder)],
  },
  {
    name: 'clock in the footer',
    switches: ['clock'],
    refusalLimit: null,
    play: async (stage, tagOf) => void (await stage.send([prompt(tagOf(1), 'direct')])),
    counts: [
      delivered('works', 1),
      { name: 'never ready', most: 1, wanted: 'none', of: ({ wasReady }) => (wasReady ? 0 : 1) },
    ],
  },
  {
    name: 'gateway killed with ten waiting',
    switches: [],
    refusalLimit: null,
    play: async (stage, tagOf) => {
      await stage.send([prompt(tagOf(0), 'direct', '[[slow=4000]] ')]);
      const waiting = Array.from({ length: waitingPrompts }, (_, index) => tagOf(index + 1));
      await stage.send(waiting.map((tag) => prompt(tag, 'request')));
      await stage.replaceGateway(0);
      await rest(stage);
    },
    counts: [
      delivered('delivered after the restart', waitingPrompts, afterRestart),
      broken('doubled', 'doubled', waitingPrompts),
    ],
  },
];

const prompt = (tag: string, door: Door, before = ''): PlannedPrompt => ({
  tag,
  door,
  forced: false,
  shape: 'of a fault',
  prompt: `${before}say ${tag}`,
});

const rest = (stage: Stage): Promise<void> =>
  untilRest(stage.agent, stage.person, stage.sendings, () => stage.ledger.length);

async function untilLedger(stage: Stage, has: (row: Stage['ledger'][number]) => boolean): Promise<void> {
  for (const deadline = Date.now() + longestMilliseconds; Date.now() < deadline; )
    if (stage.ledger.some(has)) return;
    else await after(lookMilliseconds);
  throw new Error(`what the agent was to do did not stand in its ledger after ${longestMilliseconds} ms`);
}

function falseSent(most: number): Count {
  const of = ({ facts }: Outcome) =>
    facts.prompts.filter(({ answer, tag }) => answer.kind === 'sent' && !takenOf(facts).has(tag)).length;
  return { name: 'false "sent"', most, wanted: 'none', of };
}

function notDelivered(name: string, most: number): Count {
  const of = ({ facts }: Outcome) => facts.prompts.filter(({ tag }) => !takenOf(facts).has(tag)).length;
  return { name, most, wanted: 'none', of };
}

function delivered(
  name: string,
  most: number,
  of = ({ facts }: Outcome): number => takenOf(facts).size,
): Count {
  return { name, most, wanted: 'all', of };
}

function broken(kind: ViolationKind, name: string, most: number): Count {
  const of = ({ violations }: Outcome) => violations.filter((violation) => violation.kind === kind).length;
  return { name, most, wanted: 'none', of };
}
