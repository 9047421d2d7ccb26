import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installedSkills } from '../../../src/gateway/notifier/notifier-prompt.js';
import { houmaoSkill, installSkills, mailSkills } from '../../../src/launch/install-skills.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'houmao-skills-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const names = ['houmao-process-emails-via-gateway', 'houmao-agent-email-comms'];

test.each([
  ['claude', 'skills'],
  ['codex', 'skills'],
  ['gemini', '.gemini/skills'],
] as const)('%s finds both skills in %s, and the notifier knows of them', (tool, folder) => {
  expect(installedSkills(tool, home)).toEqual({ process: false, comms: false });
  installSkills(tool, home, mailSkills);
  for (const name of names) {
    const file = join(home, folder, name, 'SKILL.md');
    const [head, ...rest] = readFileSync(file, 'utf8').split('\n---\n');
    expect(head).toMatch(new RegExp(`^---\nname: ${name}\ndescription: \\S[^\n]+$`));
    expect(rest.join('')).toContain('/v1/mail/');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  expect(installedSkills(tool, home)).toEqual({ process: true, comms: true });
  expect(installedSkills('another', home)).toEqual({ process: false, comms: false });
});

test('a skill that somebody changed is left as it is', () => {
  installSkills('claude', home, mailSkills);
  const file = join(home, 'skills', names[0]!, 'SKILL.md');
  writeFileSync(file, 'mine');
  installSkills('claude', home, mailSkills);
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

test('the skill for work with other agents has the head that tools read', () => {
  const { name, text } = houmaoSkill();
  expect(text).toMatch(/^---\nname: houmao\ndescription: \S[^\n]{50,1000}\n---\n/);
  installSkills('gemini', home, [houmaoSkill()]);
  expect(readFileSync(join(home, '.gemini/skills', name, 'SKILL.md'), 'utf8')).toBe(text);
});
