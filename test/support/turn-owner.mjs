// A program that owns the turns of a session, and nothing else of a gateway: `node turn-owner.mjs SESSION_ROOT`, which
// takes its orders as messages and answers each by one with the same `call`.
import { chooseTarget } from '../../dist/src/dispatch/queue/session-runtime.js';
import { EventStore } from '../../dist/src/events/event-store.js';
import { systemClock } from '../../dist/src/foundation/clock.js';
import { usualLogKeeping } from '../../dist/src/foundation/set-aside.js';
import { readManifest } from '../../dist/src/session/manifest.js';
import { queueStore, sessionPaths } from '../../dist/src/session/session-paths.js';
import { Tmux } from '../../dist/src/terminal/tmux.js';
import { ExecutionSlot } from '../../dist/src/turn/live-turn.js';
import { metadataSchema } from '../../dist/src/turn/prompt-metadata.js';
import { TurnOwnership, turnOwner } from '../../dist/src/turn/turn-ownership.js';
import { turnSchema } from '../../dist/src/turn/turn-schema.js';
import { TurnService } from '../../dist/src/turn/turn-service.js';
import { TurnTable } from '../../dist/src/turn/turn-table.js';
import { usageSchema } from '../../dist/src/turn/usage-days.js';

const paths = sessionPaths(process.argv[2]);
const ownership = TurnOwnership.take(paths.run, 'turn-owner');
if (!ownership) {
  process.send({ refused: turnOwner(paths.run) });
  process.disconnect();
} else {
  const reports = [];
  const report = (fault) => void reports.push(fault);
  const events = new EventStore({
    name: queueStore(paths),
    schemas: [turnSchema, metadataSchema, usageSchema],
    files: [],
    keeping: usualLogKeeping,
    followers: [],
    clock: systemClock,
    committed: () => undefined,
    faultChanged: () => undefined,
    print: report,
  });
  const { store, journal } = events;
  const table = new TurnTable(store);
  const target = chooseTarget(readManifest(paths.manifest), paths, {
    clock: systemClock,
    environment: process.env,
    tmux: new Tmux({ environment: process.env }),
  });
  const slot = new ExecutionSlot(() => undefined);
  const turns = new TurnService({
    ownership,
    target,
    journal,
    table,
    slot,
    clock: systemClock,
    report,
    ended: () => undefined,
  });
  const ended = [];
  const companion = { claimed: () => true, ended: (_atUtc, verdict) => void ended.push(verdict.outcome) };
  const running = new Map();

  const can = {
    async begin({ turnId, prompt }) {
      const resolved = target.resolve({ chatSession: null, execution: null }, { override: null });
      const order = { ...resolved, turnId, prompt, origin: 'queue', requestId: null, tool: 'claude' };
      const begun = await turns.begin(order, companion);
      running.set(turnId, begun);
      return begun !== null;
    },
    async adopt({ turnId }) {
      const begun = turns.adopt(turnId, companion);
      running.set(turnId, begun);
      return begun !== null;
    },
    delivered: ({ turnId }) => running.get(turnId).delivered,
    over: ({ turnId }) => running.get(turnId).over,
    interrupt: ({ turnId }) => turns.interrupt(turnId),
    leave: () => turns.leaveRunning(),
    state: async () => ({ free: slot.free, reports, ended }),
    async quit() {
      await events.close();
      ownership.release();
      setImmediate(() => process.disconnect());
    },
  };
  process.on('message', ({ call, ...message }) => {
    can[message.do](message).then(
      (result) => process.send({ call, result: result ?? null }),
      (error) => process.send({ call, fault: error.stack }),
    );
  });
  process.send({ ready: true });
}
