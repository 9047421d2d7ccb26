import { describe, expect, it } from 'vitest';
import { claudeScreen, detectClaude, workingFooter } from '../../../../support/screens/claude-screen.js';

const prompt = ['❯ do it', ''];
const seen = (...conversation: string[]) => detectClaude(claudeScreen(conversation));

describe('work', () => {
  it.each([
    '✻ Dilly-dallying…',
    '· Baking…',
    '* Metamorphosing… (3s · ↓ 14 tokens)',
    '✶ Compacting conversation… (1s)',
    '✢ Fixing the parser… (esc to interrupt · 12s)',
  ])('%s', (line) => {
    const signals = seen(...prompt, line);
    expect(signals).toMatchObject({
      activeReasons: ['thinking_line'],
      readyPosture: 'no',
      successCandidate: false,
    });
    expect(signals.statusLine).toBe(line.slice(2));
  });

  it('a request that is tried again', () => {
    const signals = seen(
      ...prompt,
      '✻ 529 overloaded · retrying in 1s · attempt 2/2',
      '  ⎿  If it persists, check',
    );
    expect(signals.activeReasons).toEqual(['retry_line']);
    expect(signals.knownFailure).toBe(false);
  });

  it.each([
    '  ⏸ manual mode on · esc to interrupt · ← for agents        ◐ medium · /effort',
    '  ⏵⏵ bypass permissions on · esc to inter…',
    '  ⏵⏵ bypass permissions on · esc to…',
    '  esc to interrupt',
  ])('the footer %s', (footer) => {
    const signals = detectClaude(claudeScreen(prompt, undefined, [footer]));
    expect(signals).toMatchObject({ activeReasons: ['interruptable_footer'], readyPosture: 'unknown' });
    expect(detectClaude(claudeScreen([...prompt, '● Text'], undefined, [footer])).activeReasons).toEqual([
      'active_block',
    ]);
  });

  it('goes on below an answer, with and without a footer that says so', () => {
    expect(seen(...prompt, '● Some', '', '✻ Baking…')).toMatchObject({
      successCandidate: false,
      successBlocked: true,
    });
    const finished = [...prompt, '● Some', '', '✻ Baked for 2s'];
    expect(detectClaude(claudeScreen(finished, undefined, workingFooter)).activeReasons).toEqual([
      'interruptable_footer',
    ]);
  });

  it('is over with the line on how long it took', () => {
    expect(seen(...prompt, '✻ Baking…', '✻ Baked for 2s', '')).toMatchObject({
      activeReasons: [],
      readyPosture: 'yes',
    });
  });

  it('is none in the conversation before, in the text of an answer or of a footer', () => {
    expect(seen('✻ Baking…', ...prompt).activeReasons).toEqual([]);
    expect(seen(...prompt, '✻ Thinking…', '', '● Done.').activeReasons).toEqual([]);
    expect(seen(...prompt, '● Press esc to', '  · interrupt…').activeReasons).toEqual([]);
    const footer = ['  esc to cancel the search'];
    expect(detectClaude(claudeScreen(prompt, undefined, footer)).activeReasons).toEqual([]);
  });

  it('is seen without a composer, where this is the screen of Claude Code', () => {
    expect(detectClaude([...prompt, '✻ Baking…'].join('\n'))).toMatchObject({
      activeReasons: ['thinking_line'],
      acceptingInput: 'unknown',
      readyPosture: 'no',
    });
    expect(detectClaude('* some list…').activeReasons).toEqual([]);
  });
});

describe('an answer', () => {
  it.each(['●', '⏺'])('begins with %s', (sign) => {
    expect(seen(...prompt, `${sign} Done.`)).toMatchObject({
      successCandidate: true,
      completionMarker: false,
    });
  });

  it.each([
    '✻ Sautéed for 6s',
    '✻ Worked for 1m 12s · done 8:36 PM',
    '* Churned for 2h 0m 3s · 1 shell still running',
  ])('ends with %s', (line) => {
    expect(seen(...prompt, line)).toMatchObject({ successCandidate: true, completionMarker: true });
    expect(seen(...prompt, line).statusLine).toBe(line.slice(2));
  });

  it('of an earlier turn is none of this one', () => {
    expect(seen(...prompt, '● Done.', '', '✻ Cooked for 2s', '', ...prompt).successCandidate).toBe(false);
    expect(seen('● Done.', '', ' ▐▛███▛█   Claude Code v2.1.330', '').successCandidate).toBe(false);
  });

  it('is there although its beginning and the prompt are out of sight', () => {
    const lines = Array.from({ length: 400 }, (_, index) => `  line ${index}`);
    const signals = seen(...prompt, '● It begins', ...lines, '', '✻ Cooked for 2s');
    expect(signals.successCandidate).toBe(true);
    expect(signals.notes).toContain('latest_turn_anchor_missing');
  });

  it('is not there while only its sign is', () => {
    expect(seen(...prompt, '●').successCandidate).toBe(false);
  });

  it('does not need an empty composer, but is not reported while the agent works', () => {
    expect(detectClaude(claudeScreen([...prompt, '● Done.'], ['❯ next'])).successCandidate).toBe(true);
    const working = detectClaude(claudeScreen([...prompt, '● Done.'], undefined, workingFooter));
    expect(working).toMatchObject({ successCandidate: false, successBlocked: true });
  });
});

describe('an interrupt', () => {
  const banner = '  ⎿ \u00a0Interrupted · What should Claude do instead?';

  it('is the last word of the latest turn', () => {
    expect(seen(...prompt, '● Some', banner)).toMatchObject({
      interrupted: true,
      successCandidate: false,
      readyPosture: 'yes',
      activeReasons: [],
    });
  });

  it('is over with another answer, with more work, with another prompt', () => {
    expect(seen(...prompt, banner, '', '● Something else').interrupted).toBe(false);
    expect(seen(...prompt, banner, '', '✻ Baking…')).toMatchObject({
      interrupted: false,
      activeReasons: ['thinking_line'],
    });
    expect(seen(...prompt, banner, '', ...prompt).interrupted).toBe(false);
  });

  it('stands although the footer is not painted again yet', () => {
    const signals = detectClaude(claudeScreen([...prompt, '● Some', banner], undefined, workingFooter));
    expect(signals).toMatchObject({ interrupted: true, activeReasons: [], successBlocked: true });
  });

  it('is none that a command reports', () => {
    expect(seen(...prompt, '● Bash(make)', '  ⎿  Interrupted system call').interrupted).toBe(false);
  });

  it('is not in a prompt that quotes one', () => {
    expect(seen('\u001b[48;5;237m❯ see', `${banner}`, '\u001b[0m').interrupted).toBe(false);
  });
});

describe('a failure', () => {
  it.each([
    '● API Error: 500 something',
    '⏺ API Error: Connection error.',
    '● Please run /login · API Error: 401 authentication_error',
    '● Credit balance is too low',
    '● You’ve hit your session limit · resets 3pm',
    '  ⎿  API Error: Request timed out.',
  ])('%s', (line) => {
    expect(seen(...prompt, line)).toMatchObject({
      knownFailure: true,
      currentError: true,
      successCandidate: false,
      successBlocked: true,
      readyPosture: 'yes',
    });
  });

  it('is what the composer offers to send again', () => {
    const composer = ['❯ \u001b[7mR\u001b[0;2mesend your message to try again\u001b[0m'];
    expect(detectClaude(claudeScreen([...prompt, '● Something new went wrong'], composer)).knownFailure).toBe(
      true,
    );
  });

  it('is none while the turn goes on, when an answer follows, or in the turn before', () => {
    expect(
      detectClaude(claudeScreen([...prompt, '● API Error: 500'], undefined, workingFooter)).knownFailure,
    ).toBe(false);
    expect(seen(...prompt, '● API Error: 500', '', '● Done.').knownFailure).toBe(false);
    expect(seen(...prompt, '● API Error: 500', '', ...prompt).knownFailure).toBe(false);
    expect(seen(...prompt, '● The log says API Error: 500').knownFailure).toBe(false);
  });
});
