/** One command of a document, as somebody would paste it. */
export interface DocumentedCommand {
  /** Where it stands, as `README.md:28`. */
  at: string;
  text: string;
}

const fenced = /^```(?:sh|bash|shell|console)\n(.*?)^```$/gms;

/** Every command of every block of commands, in order; a command that goes on on the next line is one. */
export function commandsIn(document: string, name: string): DocumentedCommand[] {
  return [...document.matchAll(fenced)].flatMap((block) => {
    const first = document.slice(0, block.index).split('\n').length + 1;
    const commands: DocumentedCommand[] = [];
    let open: DocumentedCommand | null = null;
    for (const [index, line] of (block[1] ?? '').split('\n').entries()) {
      if (open) open.text += `\n${line}`;
      else if (/^\s*(#|$)/.test(line)) continue;
      else open = { at: `${name}:${first + index}`, text: line };
      if (line.endsWith('\\')) continue;
      commands.push(open);
      open = null;
    }
    return commands;
  });
}

/** The ids that a reader fills in, by what stands for them: the latest one that was shown. */
const shown: [placeholder: RegExp, value: RegExp][] = [
  [/turn-…/g, /\bturn-[\w-]+/g],
  [/gwreq-…|<request_id>|<id>/g, /\bgwreq-[\w-]+/g],
  [/<turn_id>/g, /\bturn-[\w-]+/g],
  [/notif-…/g, /\bnotif-\w+/g],
  [/<ref>|<message_ref>/g, /\b(?:message|msg|filesystem)[:-][\w:.-]+/g],
  [/<session-root>/g, /\/\S+\/sessions\/[^\s/'"]+\/[^\s/'"]+/g],
];

/** @param output everything that was shown so far. @throws Error for something to fill in that nothing showed. */
export function fillIn(command: string, output: string): string {
  const filled = shown.reduce(
    (text, [placeholder, value]) =>
      text.replace(placeholder, (found) => output.match(value)?.at(-1) ?? found),
    command,
  );
  const left = /…|<[a-z][\w -]*>/.exec(filled.replace(/\s#.*$/gm, ''));
  if (left) throw new Error(`nothing that was shown tells what to put for ${left[0]} in: ${command}`);
  return filled;
}
