// A strict reader of Prometheus' text format, version 0.0.4: whatever the format does not allow is an error.

export interface Figure {
  name: string;
  labels: Record<string, string>;
  value: number;
}
export interface Exposition {
  figures: Figure[];
  /** The type of each metric, by name. */
  types: Map<string, string>;
  /** The value of the one figure with this name and these labels; undefined for none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)( -?\d+)?$/;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const suffixes: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** @throws Error for a text that is none of this format. */
export function readExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const figures: Figure[] = [];
  const seen = new Set<string>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+)(?: (.*))?$/.exec(line) ?? [];
    if (keyword !== undefined) {
      if (!metricName.test(name)) throw new Error(`no name: ${line}`);
      if (keyword === 'HELP' && (helped.has(name) || rest === ''))
        throw new Error(`a second or empty HELP: ${line}`);
      if (keyword === 'HELP') helped.add(name);
      else if (types.has(name) || !/^(counter|gauge|histogram|summary|untyped)$/.test(rest))
        throw new Error(`a second or unknown TYPE: ${line}`);
      else types.set(name, rest);
      current = name;
      continue;
    }
    const [, of = '', labelText = '', value = ''] = sample.exec(line) ?? [];
    if (of === '') throw new Error(`no sample: ${line}`);
    const type = types.get(current);
    if (type === undefined || !(suffixes[type] ?? ['']).some((suffix) => of === current + suffix))
      throw new Error(`${of} is not below its TYPE`);
    const labels = labelsIn(labelText);
    const key = `${of} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(key)) throw new Error(`twice: ${line}`);
    seen.add(key);
    figures.push({ name: of, labels, value: numberOf(value) });
  }
  const value = (name: string, wanted: Record<string, string> = {}): number | undefined =>
    figures.find(
      (figure) =>
        figure.name === name && Object.entries(wanted).every(([one, is]) => figure.labels[one] === is),
    )?.value;
  return { figures, types, value };
}

function labelsIn(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let at = 0; at < text.length; at = label.lastIndex) {
    label.lastIndex = at;
    const [, name = '', value = ''] = label.exec(text) ?? [];
    if (name === '' || name in labels) throw new Error(`no labels: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_whole, one) => (one === 'n' ? '\n' : one));
  }
  return labels;
}

function numberOf(text: string): number {
  if (/^nan$/i.test(text)) return Number.NaN;
  if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`no number: ${text}`);
  return value;
}
