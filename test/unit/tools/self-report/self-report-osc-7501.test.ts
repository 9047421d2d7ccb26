import { describe, expect, it } from 'vitest';
import type { ToolName } from '../../../../src/tools/adapter/tool-adapter.js';
import { OscSequences } from '../../../../src/tools/self-report/osc-sequences.js';
import { toolSelfReport } from '../../../../src/tools/terminal-registry.js';
import { factLines, sampleText } from '../session-sample.js';

/** The sequences of a sample, which has them as Python writes them. */
function statesIn(tool: ToolName): string[] {
  const written = [...sampleText(`${tool}/osc7501.txt`).matchAll(/\\x1b\]\S*/g)].map(([text]) => text);
  const output = written
    .join('')
    .replace(/\\x([0-9a-f]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
  return statesOf(tool, output.replaceAll('\\\\', '\\'));
}

function statesOf(tool: ToolName, output: string): string[] {
  const { readOsc } = toolSelfReport(tool);
  const sequences = new OscSequences().take(Buffer.from(output));
  return factLines(sequences.map((sequence) => readOsc(sequence)).filter((fact) => fact !== null));
}

describe('OSC 7501', () => {
  it('what Claude Code says, once it was answered', () => {
    expect(statesIn('claude')).toEqual([
      ...['state idle', 'state busy', 'state idle', 'state waiting for permission', 'state waiting for auth'],
    ]);
  });

  it('what Codex says without being asked', () => {
    expect(statesIn('codex')).toEqual([
      ...[
        'state idle',
        'state busy',
        'state idle',
        'state waiting for permission',
        'state busy',
        'state idle',
      ],
      'state idle',
    ]);
  });

  it('another program in the same terminal, an unknown state and a query say nothing', () => {
    const say = (text: string): string[] => statesOf('codex', `\u001b]7501;${text}\u0007`);
    expect(say('state=working:app=codex')).toEqual(['state busy']);
    expect(say('state=working:app=claude-code')).toEqual([]);
    expect(say('state=working')).toEqual([]);
    expect(say('state=dreaming:app=codex')).toEqual([]);
    expect(say('state=toString:app=codex')).toEqual([]);
    expect(say('?state=working:app=codex')).toEqual([]);
    expect(say('')).toEqual([]);
    expect(statesOf('codex', '\u001b]9;state=working:app=codex\u0007')).toEqual([]);
  });

  it('what it waits for and the message with it stay out of the evidence', () => {
    const [fact] = new OscSequences()
      .take(Buffer.from('\u001b]7501;state=blocked:app=codex:kind=permission:msg=c2VjcmV0\u0007'))
      .map((sequence) => toolSelfReport('codex').readOsc(sequence));
    expect(fact).toEqual({
      kind: 'state',
      state: 'waiting',
      waitingFor: 'permission',
      evidence: 'OSC 7501 state=blocked',
      at: null,
    });
  });
});
