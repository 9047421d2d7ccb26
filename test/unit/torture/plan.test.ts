import { expect, test } from 'vitest';
import { parseSwitches, switchNames } from '../../../standin/src/tui/switches.js';
import { planScenario } from '../../torture/terminal/plan.js';
import { tagsIn } from '../../torture/terminal/prompts.js';

const scenarios = Array.from({ length: 300 }, (_, index) => planScenario(7, index + 1));
const prompts = scenarios.flatMap(({ rounds }) => rounds.flatMap((round) => round.prompts));

test('a scenario is the same for its seed and number, and another for others', () => {
  expect(planScenario(7, 3)).toEqual(scenarios[2]);
  expect(planScenario(8, 3)).not.toEqual(scenarios[2]);
});

test('each prompt has its own tag, and no other', () => {
  expect(new Set(prompts.map(({ tag }) => tag)).size).toBe(prompts.length);
  for (const { tag, prompt } of prompts) expect(tagsIn(prompt)).toEqual([tag]);
});

test('the stand-in knows every switch, and each of its switches comes', () => {
  for (const { switches } of scenarios) expect(parseSwitches(switches.join(','))).toMatchObject({ ok: true });
  const used = new Set(scenarios.flatMap(({ switches }) => switches.map((name) => name.split('=')[0])));
  expect([...used].sort()).toEqual(switchNames.map((name) => name.split('=')[0]).sort());
});

test('all doors, acts and kills come', () => {
  const rounds = scenarios.flatMap((scenario) => scenario.rounds);
  expect(new Set(prompts.map(({ door }) => door))).toEqual(new Set(['request', 'direct', 'reminder']));
  expect(new Set(rounds.map(({ person }) => person?.act))).toEqual(
    new Set([undefined, 'draft', 'prompt', 'copy-mode']),
  );
  expect([...new Set(rounds.map(({ kill }) => kill?.kind))].sort()).toEqual([
    ...['agent', 'agent-after-paste', 'gateway', 'gateway-after-paste', 'server', 'session'],
    undefined,
  ]);
});
