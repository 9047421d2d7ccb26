// The agent's terminal, live. It is only shown until a person asks to type, and nobody types over somebody else's draft.
import type { Schemas } from '@houmao/sdk/managed-agent';
import type { Terminal } from '@xterm/xterm';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RoomProps } from './agent-view.js';
import { keysOf } from './terminal-keys.js';
import { problemOf, useFollowed, waiting, waitSeconds } from './watching.js';
import { refOf } from './words.js';

type Screen = Schemas['TerminalScreen'];

export function TerminalRoom({ client, agent }: RoomProps) {
  if (agent.transport === 'headless')
    return <p class="empty">A headless agent has no terminal. Its files are under Output.</p>;
  if (!agent.has_gateway)
    return <p class="empty">The terminal can be shown here once a gateway stands beside the agent.</p>;
  return <LiveTerminal client={client} id={refOf(agent)} />;
}

function LiveTerminal({ client, id }: { client: RoomProps['client']; id: string }) {
  const { gateway } = client.agent(id);
  const { value: screen, problem } = useFollowed(
    (after, signal) =>
      gateway.getTuiScreen({
        query: after === undefined ? {} : { after, wait_seconds: waitSeconds },
        signal,
        ...waiting,
      }),
    [client, id],
  );
  const [typing, setTyping] = useState(false);
  /** Whether the draft that stands in the composer was typed here. */
  const [ownDraft, setOwnDraft] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const terminal = useTerminal(place);
  const foreignDraft = screen?.draft !== 'no' && !ownDraft;
  useEffect(() => {
    if (screen !== null && terminal !== null) {
      fit(terminal, place.current, screen);
      draw(terminal, screen);
    }
    if (screen?.draft === 'no' && !typing) setOwnDraft(false);
  }, [terminal, screen]);
  // Before the next key arrives: it would go to the button otherwise.
  useLayoutEffect(() => {
    if (terminal === null || !typing) return;
    let held = '';
    let sending: Promise<unknown> = Promise.resolve();
    terminal.options.disableStdin = false;
    terminal.attachCustomKeyEventHandler((event) => {
      if (!(event.ctrlKey && event.key === ']')) return true;
      setTyping(false);
      return false;
    });
    terminal.focus();
    const listening = terminal.onData((data) => {
      const typed = keysOf(data, held);
      held = typed.held;
      for (const body of typed.calls)
        sending = sending
          .then(() => gateway.sendKeys({ body }))
          .catch((error: unknown) => {
            setSaid(problemOf(error));
            setTyping(false);
          });
    });
    return () => {
      listening.dispose();
      terminal.options.disableStdin = true;
      terminal.blur();
    };
  }, [terminal, typing]);
  const begin = (): void => {
    setSaid(foreignDraft ? draftWords : null);
    if (foreignDraft) return;
    setOwnDraft(true);
    setTyping(true);
  };
  return (
    <section class={typing ? 'terminal typing' : 'terminal'} aria-label="Terminal">
      <p class="facts">
        <button type="button" aria-pressed={typing} onClick={() => (typing ? setTyping(false) : begin())}>
          {typing ? 'Stop typing' : 'Type into it'}
        </button>
        <span role="status">{typing ? 'Your keys go to the agent; Ctrl+] ends that.' : 'Read only.'}</span>
        {screen?.scrolled === true && <span>Somebody scrolls in it: keys go to tmux.</span>}
      </p>
      {said !== null && (
        <p class="problem" role="alert">
          {said}
        </p>
      )}
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="screen" ref={place} />
    </section>
  );
}

const draftWords =
  "The composer holds a draft that was not typed here, or it cannot be seen whether it does. It is somebody's: send or clear it in the terminal itself, then type here.";

/** Makes the terminal of xterm, which is loaded when a terminal is shown first; null until then. */
function useTerminal(place: { readonly current: HTMLDivElement | null }): Terminal | null {
  const [terminal, setTerminal] = useState<Terminal | null>(null);
  useEffect(() => {
    let left = false;
    let made: Terminal | null = null;
    const make = async (): Promise<void> => {
      const { Terminal: Xterm } = await import('@xterm/xterm');
      if (left || place.current === null) return;
      made = new Xterm({
        scrollback: 0,
        fontSize: 13,
        cursorInactiveStyle: 'outline',
        screenReaderMode: true,
      });
      made.open(place.current);
      setTerminal(made);
    };
    void make();
    return () => {
      left = true;
      made?.dispose();
    };
  }, []);
  return terminal;
}

/** The size of a cell of a monospaced font, in parts of the size of the font. */
const cell = { width: 0.61, height: 1.2 };
const fontSizes = { smallest: 7, largest: 15 };

/** Chooses the largest font with which the whole screen can be seen at once. */
function fit(terminal: Terminal, place: HTMLElement | null, { columns, rows }: Screen): void {
  if (place === null) return;
  const { top, width } = place.getBoundingClientRect();
  const byWidth = (width - 8) / (columns * cell.width);
  const byHeight = (innerHeight - Math.max(0, top) - 24) / (rows * cell.height);
  const size = Math.floor(Math.min(byWidth, byHeight) * 2) / 2;
  terminal.options.fontSize = Math.min(fontSizes.largest, Math.max(fontSizes.smallest, size));
}

/** Draws a whole screen at once: each row is written over the row before, so that nothing flickers. */
function draw(terminal: Terminal, { columns, rows, text, cursor }: Screen): void {
  if (terminal.cols !== columns || terminal.rows !== rows) terminal.resize(columns, rows);
  const lines = text.split('\n').slice(0, rows);
  const drawn = lines.map((line, row) => `\x1b[${row + 1};1H\x1b[0m\x1b[2K${line}`).join('');
  const rest = lines.length < rows ? `\x1b[${lines.length + 1};1H\x1b[0m\x1b[J` : '';
  const place = cursor === null ? '\x1b[?25l' : `\x1b[?25h\x1b[${cursor.row + 1};${cursor.column + 1}H`;
  terminal.write(`\x1b[?2026h${drawn}${rest}\x1b[0m${place}\x1b[?2026l`);
}
