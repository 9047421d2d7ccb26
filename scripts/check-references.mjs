// `node scripts/check-references.mjs [folder]`: fails on every reference that leads nowhere, in code, contract, tests, scripts
// and documents. A newcomer has nothing but this repository, so what is cited must be in it. Found are: citations of papers
// that are not here, Markdown links and mentions of Markdown files without their file or heading, and names of source files
// that do not exist.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
const readable = new Set([
  '.ts',
  '.mjs',
  '.cjs',
  '.py',
  '.md',
  '.yaml',
  '.yml',
  '.toml',
  '.mustache',
  '.go',
  '.java',
]);
/** Generated text is the contract's, which is looked at; fixtures are what other programs said. */
const leftOut = /^generated\/|\/fixtures\/|^package-lock\.json$/;
/** This file names what it looks for, and its test plants it. */
const ownWords = /^(scripts\/check-references\.mjs|test\/unit\/scripts\/check-references\.test\.ts)$/;

/** Ways to cite a paper that nobody has. */
const citations = [
  [/\bdecisions?\s+\d+/gi, 'a decision by its number'],
  [/(?<!RFC\s\d+,?\s)§/g, 'a section of another paper'],
  [/\btraps?\s+T-\w+|\bT-(?:\d+|sec|usec|mail)\b/g, 'a trap'],
  [
    /\bthe\s+seeds\b|\bseeds'|(?<!")\bseed\s+(?:shape|form|profile|table|column|route|contract)s?\b|\bseeds?\s+(?:stores?|says?|has|have|lists?)\b/gi,
    'the seeds',
  ],
];
/** A Markdown file, with the heading if one is named: `docs/decisions.md#one-slot`. */
const mentionedDocument = /(?<![\w/.-])((?:\.{1,2}\/)*[\w-]+(?:\/[\w.-]+)*\.md)(#[\w-]+)?/g;
const markdownLink = /\[[^\]]*\]\(([^)\s]+)\)/g;
/** `name.ts` or `folder/name.ts` in a comment. Paths with variables or wildcards in them are no references. */
const mentionedSource = /(?<![\w/.*}<>$-])((?:\.{1,2}\/)*[\w-]+(?:\/[\w.-]+)*\.(?:ts|mjs|cjs))\b(?!\.\w)/g;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const known = new Set(files);
const suffixes = new Set(
  files.flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(index).join('/'))),
);
const textOf = (path) => readFileSync(join(root, path), 'utf8');

/** The anchors of a Markdown file, as GitHub makes them of its headings. */
function anchorsOf(path) {
  const seen = new Map();
  const anchors = new Set();
  let inCode = false;
  for (const line of textOf(path).split('\n')) {
    if (line.startsWith('```')) inCode = !inCode;
    const heading = inCode ? null : /^#{1,6}\s+(.*?)\s*$/.exec(line)?.[1];
    if (heading === null || heading === undefined) continue;
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}
const anchorsByFile = new Map();
function hasAnchor(path, anchor) {
  if (!anchorsByFile.has(path)) anchorsByFile.set(path, anchorsOf(path));
  return anchorsByFile.get(path).has(anchor);
}

/** The comments of a source, everything else blanked; a document is comment throughout. Lengths and lines stay. */
function commentsOf(path, text) {
  if (path.endsWith('.md')) return text;
  const blank = (part) => part.replace(/[^\n]/g, ' ');
  const pattern = /\.(ya?ml|py|toml)$/.test(path)
    ? /(?<=^|\s)#[^\n]*/g
    : /\/\*[\s\S]*?\*\/|(?<=^|[\s;{}()[\],])\/\/[^\n]*/g;
  let kept = '';
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    kept += blank(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return kept + blank(text.slice(end));
}

/** Sentences go on over the lines of a comment: the beginnings of its lines are blanked. */
const joined = (text) =>
  text.replace(/(?<=\n)[^\S\n]*(?:\*(?!\/)|\/\/|#)/g, (lead) => ' '.repeat(lead.length));

const problems = [];
const report = (path, text, index, problem) =>
  problems.push(`${path}:${text.slice(0, index).split('\n').length}: ${problem}`);

/** Where a mentioned file is: beside the one that mentions it, below the root, or anywhere by the end of its path. */
function whereIs(from, mentioned) {
  const beside = normalize(join(dirname(from), mentioned));
  if (known.has(beside)) return beside;
  if (known.has(mentioned)) return mentioned;
  const rest = mentioned.replace(/^(\.{1,2}\/)+/, '');
  return suffixes.has(rest) ? files.find((path) => path === rest || path.endsWith(`/${rest}`)) : null;
}

function checkDocument(path, text, index, target, mentioned, anchor) {
  const found = mentioned === '' ? path : whereIs(path, mentioned);
  if (!found) report(path, text, index, `${target}: there is no such file`);
  else if (anchor && !hasAnchor(found, anchor))
    report(path, text, index, `${target}: there is no such heading`);
}

function checkLinks(path, text) {
  for (const match of text.matchAll(markdownLink)) {
    const target = match[1];
    if (/^[a-z]+:/i.test(target) || target.includes('$')) continue;
    const [file, anchor] = target.split('#');
    const beside = file === '' ? path : normalize(join(dirname(path), file));
    const isFolder = files.some((name) => name.startsWith(`${beside.replace(/\/$/, '')}/`));
    if (!known.has(beside) && !isFolder) report(path, text, match.index, `${target}: there is no such file`);
    else if (anchor && !hasAnchor(beside, anchor))
      report(path, text, match.index, `${target}: there is no such heading`);
  }
}

for (const path of files) {
  if (leftOut.test(path) || ownWords.test(path) || !(readable.has(extname(path)) || path === '.ci/run'))
    continue;
  const text = textOf(path);
  const flat = joined(text);
  for (const [pattern, what] of citations)
    for (const match of flat.matchAll(pattern))
      report(
        path,
        text,
        match.index,
        `"${match[0].replace(/\s+/g, ' ')}" cites ${what}, which is not in this repository`,
      );
  const comments = commentsOf(path, text);
  if (path.endsWith('.md')) checkLinks(path, text);
  const outsideLinks = path.endsWith('.md')
    ? text.replace(markdownLink, (link) => ' '.repeat(link.length))
    : comments;
  for (const match of outsideLinks.matchAll(mentionedDocument))
    checkDocument(path, text, match.index, match[0], match[1], match[2]?.slice(1));
  for (const match of outsideLinks.matchAll(mentionedSource))
    if (!whereIs(path, match[1])) report(path, text, match.index, `${match[1]}: there is no such file`);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) console.error(`${problems.length} references lead nowhere`);
process.exitCode = problems.length === 0 ? 0 : 1;
