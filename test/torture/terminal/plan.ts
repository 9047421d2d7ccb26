import { type SeededRandom, seededRandom } from '../random.mjs';
import { draftTag, makePrompt, promptTag } from './prompts.js';
import type { Door, Kill, PlannedPrompt, Round, Scenario } from './scenario.js';

/** Faults of the stand-in that exclude each other, and how often one of them is there. */
const faults: readonly { chance: number; of: (random: SeededRandom) => string }[] = [
  { chance: 0.25, of: (random) => `drop-enter=${random.between(1, 3)}` },
  { chance: 0.2, of: (random) => `enter-as-newline=${random.between(1, 3)}` },
  { chance: 0.15, of: (random) => `swallow-paste=${random.between(1, 2)}` },
  { chance: 0.15, of: (random) => `deaf-start=${random.pick([300, 1500, 4000])}` },
  { chance: 0.2, of: (random) => `deaf-after-turn=${random.pick([100, 700, 2500, 5000])}` },
  { chance: 0.2, of: (random) => `late-echo=${random.pick([50, 400, 1200, 2500])}` },
  { chance: 0.2, of: (random) => `slow-draw=${random.pick([50, 300, 900, 2000])}` },
  { chance: 0.2, of: () => 'clock' },
  { chance: 0.15, of: () => 'redraw' },
  { chance: 0.2, of: (random) => `long-output=${random.pick([5, 60, 300])}` },
  {
    chance: 0.3,
    of: (random) =>
      random.pick(['permission-early', ...[100, 900, 2500].map((ms) => `permission-late=${ms}`)]),
  },
  { chance: 0.1, of: () => 'trust-dialog' },
  { chance: 0.12, of: (random) => `crash-to-shell=${random.between(1, 5)}` },
  { chance: 0.4, of: (random) => `session-file=${random.pick(sessionFiles)}` },
  { chance: 0.2, of: () => 'no-alternate-screen' },
];
const sessionFiles = [
  'missing',
  'missing',
  'read-only',
  'late:200',
  'late:1000',
  'late:4000',
  'contradicting',
];

const doors: readonly Door[] = ['request', 'request', 'request', 'direct', 'direct', 'reminder'];
const kills: readonly Kill[] = ['gateway', 'gateway', 'gateway-after-paste', 'gateway-after-paste'];
/** After these nothing can be typed any more. */
const lastKills: readonly Kill[] = ['agent', 'agent-after-paste', 'agent-after-paste', 'session', 'server'];

/** The scenario of a number: the same for the same seed, whatever was played before. */
export function planScenario(seed: number, number: number): Scenario {
  const random = seededRandom((seed + Math.imul(number, 0x9e3779b1)) >>> 0);
  const switches = faults.filter(({ chance }) => random.chance(chance)).map(({ of }) => of(random));
  // A screen that never says ready is waited for in vain: a few prompts show that.
  const isShort = switches.includes('session-file=contradicting');
  const dies = random.chance(0.25) ? random.pick(lastKills) : null;
  const serials = { next: 1 };
  const rounds = Array.from({ length: isShort ? 2 : random.between(4, 7) }, () =>
    roundOf(number, random, serials),
  );
  return {
    number,
    switches,
    unattended: random.chance(0.25),
    rounds: dies === null ? rounds : withLastKill(rounds, dies, random),
    dialogAfter: random.pick([100, 800, 3000]),
    permits: random.chance(0.7),
  };
}

function roundOf(scenario: number, random: SeededRandom, serials: { next: number }): Round {
  const atOnce = random.pick([1, 1, 1, 1, 2, 4]);
  const prompts = Array.from({ length: atOnce }, (): PlannedPrompt => {
    const tag = promptTag(scenario, serials.next);
    serials.next += 1;
    const door = random.pick(doors);
    const made = makePrompt(tag, random);
    return { tag, door, forced: door === 'direct' && random.chance(0.4), ...made };
  });
  const act = random.pick(['draft', 'prompt', 'prompt', 'copy-mode'] as const);
  const mine = `${draftTag(scenario, serials.next)} mine`;
  // The agent asks for permission at a moment that the gateway does not choose.
  const asking = `[[slow=${random.between(0, 1500)}]] [[tool=Bash {"command":"mine"}]] ${mine}`;
  return {
    prompts,
    whenReady: random.chance(0.85),
    person: random.chance(0.25)
      ? { act, after: random.between(0, 1500), text: act === 'prompt' ? asking : mine }
      : null,
    kill: random.chance(0.25) ? { kind: random.pick(kills), after: random.between(0, 2500) } : null,
    interruptAfter: random.chance(0.08) ? random.between(0, 2000) : null,
  };
}

/** The last round but one ends it; the last one finds nobody. */
const withLastKill = (rounds: readonly Round[], kind: Kill, random: SeededRandom): Round[] =>
  rounds.map((round, index) =>
    index === rounds.length - 2 ? { ...round, kill: { kind, after: random.between(0, 2500) } } : round,
  );
