import type { Clock } from '../foundation/clock.js';
import { deferred } from '../foundation/deferred.js';
import { identify } from '../foundation/process-identity.js';
import { secretsOf } from '../foundation/redact.js';
import { signalGroup } from '../foundation/signals.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { readTail } from './file-tail.js';
import type { RunningTurn, TurnObserver } from './running-turn.js';
import { stopGroup } from './stop-group.js';
import { supervise, type TurnJob } from './supervisor.js';
import { TurnReading, tailBytes } from './turn-reading.js';
import type { TurnSigns } from './turn-signs.js';

/** Runs turns as children of this process, for agents without a tmux session (decision 46). */
export function startInProcess(job: TurnJob, observer: TurnObserver, clock: Clock): RunningTurn {
  const reading = new TurnReading(toolAdapter(job.tool), secretsOf(job.environment));
  const agentPid = deferred<number | null>();
  const supervision = supervise(
    job,
    {
      spawned(pid) {
        const process = identify(pid);
        if (process) observer.spawned(process);
        observer.handedOver(`process ${pid} was started with the prompt on its standard input`);
        agentPid.resolve(pid);
      },
      event(event) {
        const news = reading.take(event);
        if (news.sessionId) observer.sessionSeen(news.sessionId);
        if (news.confirmed) observer.confirmed(news.confirmed);
      },
      oversizedRow: () => reading.oversizedRow(),
      fault: (detail) => observer.fault(detail),
    },
    clock,
  );
  const ended = supervision.then((end): TurnSigns => {
    agentPid.resolve(null);
    return reading.signs({
      ...end,
      stderrTail: readTail(job.artifacts.stderr, tailBytes),
      supervisorLost: false,
    });
  });
  return {
    ended,
    stop: async (ladder) => {
      const pid = await agentPid.promise;
      return stopGroup((signal) => pid !== null && signalGroup(pid, signal), ended, ladder, clock);
    },
  };
}
