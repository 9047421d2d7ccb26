import { execFileSync, spawnSync } from 'node:child_process';

const program = `
import json, sys, yaml, datetime
def plain(value):
    if isinstance(value, (datetime.date, datetime.datetime)):
        return {"timestamp": True}
    if isinstance(value, dict):
        return {"map": [[plain(k), plain(v)] for k, v in value.items()]}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return {"float": repr(value)}
    return value
answers = []
for text in json.load(sys.stdin)["load"]:
    try:
        answers.append({"value": plain(yaml.safe_load(text))})
    except Exception as error:
        answers.append({"error": type(error).__name__})
json.dump(answers, sys.stdout)
`;
const dumper = `
import json, sys, yaml
json.dump([yaml.safe_dump(value, sort_keys=False) for value in json.load(sys.stdin)], sys.stdout)
`;

/** PyYAML is what the older implementation reads and writes with. */
export const hasPyYaml = spawnSync('python3', ['-c', 'import yaml']).status === 0;

const ask = (source: string, input: unknown): unknown =>
  JSON.parse(
    execFileSync('python3', ['-c', source], {
      input: JSON.stringify(input),
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    }),
  );

export type Loaded = { value: unknown } | { error: string };

/** The values that PyYAML reads in texts. Mappings are lists of pairs, floats are their Python spelling. */
export const pyYamlLoad = (texts: readonly string[]): Loaded[] => ask(program, { load: texts }) as Loaded[];

/** How PyYAML writes values, keys in their order. */
export const pyYamlDump = (values: readonly unknown[]): string[] => ask(dumper, values) as string[];
