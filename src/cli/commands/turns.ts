import { isHoumaoError, type Schemas } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../launch/agent-host.js';
import { type ServerFlag, serverFlagWords } from '../flags/server-flag.js';
import { callFailure } from '../words/call-failure.js';
import type { Output } from '../words/terminal-output.js';
import { turnFailure } from '../words/turn-failure.js';
import { announceTurn, turnLines } from '../words/turn-words.js';
import { requireAtServer } from './at-server/agent-at-server.js';
import { interruptible } from './interruptible.js';

export interface WaitForTurnFlags extends ServerFlag {
  /** Seconds. */
  silenceLimit: number;
}

/** `agents turns get`. */
export async function getTurn(
  name: string,
  turnId: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const { agent } = await requireAtServer(name, flags, host);
  try {
    const turn = await agent.getTurnRecord({ path: { turn_id: turnId } });
    output.result(turn, turnLines(turn));
  } catch (error) {
    throw isHoumaoError(error) ? callFailure(error) : error;
  }
}

/** `agents turns wait`: goes on where `agents prompt` was left. */
export async function waitForTurn(
  name: string,
  turnId: string,
  flags: WaitForTurnFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const { agent } = await requireAtServer(name, flags, host);
  await interruptible(async (signal) => {
    let turn: Schemas['TurnRecord'] | null = null;
    const onUpdate = (update: Schemas['TurnRecord']): void => {
      announceTurn(turn, update, output);
      turn = update;
    };
    try {
      const silenceMs = flags.silenceLimit * 1000;
      const answer = await agent.turn(turnId).answer({ signal, silenceMs, onUpdate });
      output.result({ answer, turn }, [answer]);
    } catch (error) {
      throw isHoumaoError(error) ? turnFailure(error, turnId, name, serverFlagWords(flags)) : error;
    }
  });
}
