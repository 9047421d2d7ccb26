import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { EventTable, eventSchema, type StoredEvent } from '../../src/events/event-table.js';
import { ProjectionTable, projectionSchema } from '../../src/events/projection.js';
import { openStore } from '../../src/storage/open-store.js';
import { storeOver } from './store-over.js';

/** Events, and how far files follow them, in a database of each test. */
export interface EventTables {
  events: EventTable;
  checkpoints: ProjectionTable;
  /** Where a file may stand that follows the events. */
  path: string;
  /** Stores one more event. */
  append(): StoredEvent;
}

/** Opens them before each test of a file, and takes them away after it. */
export function useEventTables(): EventTables {
  const tables = {} as EventTables;
  let folder: string;
  let database: ReturnType<typeof openStore>;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'houmao-events-'));
    const name = { path: join(folder, 'store.sqlite'), thing: 'store', program: 'test' };
    database = openStore(name, [eventSchema, projectionSchema]);
    const store = storeOver(database);
    const events = new EventTable(store);
    const happened = { kind: 'gateway_stopping', subjectId: null, data: {} } as const;
    Object.assign(tables, {
      events,
      checkpoints: new ProjectionTable(store),
      path: join(folder, 'lines.log'),
      append: () => events.append('2026-03-13T00:00:00+00:00', happened),
    });
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return tables;
}
