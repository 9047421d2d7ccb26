import type { ContractDocument } from '../contract/document/contract-document.js';
import { goTo } from './links.js';
import { type Found, findablesOf, type Search, searchOver } from './search-index.js';
import {
  browser,
  type Component,
  type Drawn,
  type KeyPress,
  type KeyPressAt,
  type React,
} from './swagger.js';

const hint = 'Search everything ( / )';
const [fieldId, listId] = ['search-field', 'search-results'];
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const optionId = (place: number): string => `search-result-${place}`;

/** Draws the field of the full-text search, and below it the findings as a list that is used with arrows, Enter and Escape. */
export function searchBox(React: React, document: ContractDocument): Component {
  const { createElement } = React;
  let search: Search | null = null;
  // Made when a reader first asks, as most never do.
  const find = (phrase: string): readonly Found[] => {
    search ??= searchOver(findablesOf(document));
    return search(phrase);
  };
  return () => {
    const [phrase, setPhrase] = React.useState('');
    const [findings, setFindings] = React.useState<readonly Found[]>([]);
    const [chosen, choose] = React.useState(0);
    const [isOpen, setOpen] = React.useState(false);
    React.useEffect(focusOnSlash, []);
    const look = (given: string): void => {
      setPhrase(given);
      setFindings(given.trim() === '' ? [] : find(given));
      choose(0);
      setOpen(given.trim() !== '');
    };
    const take = (finding: Found | undefined): void => {
      if (finding === undefined) return;
      setOpen(false);
      goTo(finding.anchor);
    };
    const pressed = (press: KeyPress): void => {
      const step = steps[press.key];
      if (press.key === 'Escape' && isOpen && findings.length > 0) setOpen(false);
      else if (press.key === 'Escape') look('');
      else if (press.key === 'Enter') take(isOpen ? findings[chosen] : undefined);
      else if (step === undefined) return;
      else if (!isOpen) setOpen(findings.length > 0);
      else if (findings.length > 0) {
        const next = (chosen + step + findings.length) % findings.length;
        choose(next);
        browser.document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' });
      }
      press.preventDefault();
    };
    const shown = isOpen && findings.length > 0;
    return createElement(
      'div',
      { className: 'search', role: 'search' },
      createElement('input', {
        id: fieldId,
        type: 'search',
        role: 'combobox',
        placeholder: hint,
        'aria-label': 'Search',
        value: phrase,
        autoComplete: 'off',
        spellCheck: false,
        'aria-autocomplete': 'list',
        'aria-controls': listId,
        'aria-expanded': shown,
        ...(shown && { 'aria-activedescendant': optionId(chosen) }),
        onChange: ({ target }: { target: { value: string } }) => look(target.value),
        onFocus: () => setOpen(phrase.trim() !== ''),
        onBlur: () => setOpen(false),
        onKeyDown: pressed,
      }),
      createElement(
        'ul',
        { id: listId, role: 'listbox', 'aria-label': 'Results', hidden: !shown },
        ...findings.map((finding, place) =>
          optionOf(React, finding, { place, isChosen: place === chosen, take: () => take(finding) }),
        ),
      ),
      createElement(
        'p',
        { className: 'search-said', role: 'status' },
        isOpen ? said(phrase, findings.length) : '',
      ),
    );
  };
}

const said = (phrase: string, count: number): Drawn =>
  count > 0
    ? `${count === 1 ? '1 result' : `${count} results`}: arrows choose, Enter opens.`
    : `No result for “${phrase.trim()}”. Try fewer words, or one of a path, a field, an error code or an event, such as “queue”.`;

interface Option {
  readonly place: number;
  readonly isChosen: boolean;
  take(): void;
}

const optionOf = (
  { createElement }: React,
  { badge, title, summary, place: where, excerpt }: Found,
  { place, isChosen, take }: Option,
): Drawn =>
  createElement(
    'li',
    {
      key: place,
      id: optionId(place),
      role: 'option',
      'aria-selected': isChosen,
      // The field keeps the focus, so that the list stays until the click is done.
      onMouseDown: (press: KeyPress) => press.preventDefault(),
      onClick: take,
    },
    createElement('span', { className: `method method-${badge.toLowerCase()}` }, badge),
    createElement('code', null, title),
    createElement('span', { className: 'found-summary' }, summary),
    createElement(
      'span',
      { className: 'found-excerpt' },
      createElement('span', { className: 'found-place' }, where),
      ': ',
      ...excerpt.map(({ text, marked }) => (marked ? createElement('mark', null, text) : text)),
    ),
  );

/** Has "/" lead to the field, but where a reader types. */
function focusOnSlash(): () => void {
  const heard = (press: KeyPressAt): void => {
    if (press.key !== '/' || press.ctrlKey || press.metaKey || press.altKey) return;
    if (press.target.closest('input, textarea, select') !== null) return;
    press.preventDefault();
    browser.document.getElementById(fieldId)?.focus();
  };
  browser.document.addEventListener('keydown', heard);
  return () => browser.document.removeEventListener('keydown', heard);
}
