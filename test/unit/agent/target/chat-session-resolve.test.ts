import { describe, expect, it } from 'vitest';
import type { PromptSettings } from '../../../../src/agent/target/agent-target.js';
import { type ChatDefaults, resolveSession } from '../../../../src/agent/target/chat-session.js';

const pinned: ChatDefaults = { pinned: 'P', startup: { mode: 'exact', id: 'S' } };
const unpinned: ChatDefaults = { pinned: null, startup: { mode: 'tool_last_or_new' } };
const fresh = { mode: 'new' } as const;
const exact = (id: string) => ({ mode: 'exact', id });

type Row = [PromptSettings['chatSession'], ChatDefaults, typeof fresh | null, object];
const rows: Row[] = [
  [null, pinned, null, exact('P')],
  [null, pinned, fresh, fresh],
  [null, unpinned, null, { mode: 'tool_last_or_new' }],
  [null, { pinned: null, startup: { mode: 'exact', id: 'S' } }, null, exact('S')],
  [null, { pinned: null, startup: fresh }, null, fresh],
  [{ mode: 'auto' }, pinned, null, exact('P')],
  [{ mode: 'auto' }, pinned, fresh, fresh],
  [{ mode: 'auto' }, unpinned, fresh, fresh],
  [{ mode: 'new' }, pinned, null, fresh],
  [{ mode: 'tool_last_or_new' }, pinned, fresh, { mode: 'tool_last_or_new' }],
  [{ mode: 'exact', id: 'X' }, pinned, fresh, exact('X')],
  [{ mode: 'exact', id: null }, pinned, null, { code: 'invalid_chat_session' }],
  [{ mode: 'exact' }, pinned, null, { code: 'invalid_chat_session' }],
  [{ mode: 'current' }, pinned, fresh, exact('P')],
  [{ mode: 'current' }, unpinned, null, { code: 'missing_current_chat_session' }],
  [{ mode: 'current' }, unpinned, fresh, { code: 'missing_current_chat_session' }],
];

describe('which conversation a prompt continues', () => {
  it.each(rows)('%j with %j and override %j', (asked, defaults, override, expected) => {
    const resolved = resolveSession(asked, defaults, override);
    if ('code' in expected) {
      expect(resolved).toMatchObject(expected);
      expect((resolved as { detail: string }).detail).not.toBe('');
    } else expect(resolved).toEqual(expected);
  });
});
