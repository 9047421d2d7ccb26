// The part of Swagger UI that the page's plugins use. It has no types of its own.

/** The result of drawing with React. */
export type Drawn = unknown;
export type Properties = Readonly<Record<string, unknown>>;
export type Component = (properties: Properties) => Drawn;

export interface React {
  createElement(component: Component | string, properties: Properties | null, ...children: Drawn[]): Drawn;
  useState<Value>(first: Value): [Value, (next: Value) => void];
  /**
   * @param begin runs once, when the component is first drawn; the function that it returns runs when the component is removed.
   */
  useEffect(begin: () => () => void, once: readonly []): void;
  readonly Fragment: Component;
}

/** A value of Immutable.js. */
export interface Immutable {
  get(key: string): unknown;
  getIn(path: readonly string[]): unknown;
}
/** A collection of Immutable.js. */
export interface ImmutableList<Item> {
  readonly size: number;
  map<Next>(change: (item: Item, key: string) => Next): ImmutableList<Next>;
  filter(keep: (item: Item, key: string) => boolean): ImmutableList<Item>;
}

export interface System {
  readonly React: React;
  /** The function that `subscribe` returns ends the subscription. */
  getStore(): { subscribe(changed: () => void): () => void };
  readonly specSelectors: {
    /** Returns the values by place and name. */
    parameterValues(operation: readonly [path: string, method: string]): {
      toJS(): Readonly<Record<string, unknown>>;
    };
  };
  readonly oas3Selectors: {
    /** Returns undefined until the field is drawn. */
    requestBodyValue(path: string, method: string): unknown;
  };
  /** The phrase of the filter; `true` before one was given. */
  readonly layoutSelectors: { currentFilter(): unknown };
  readonly layoutActions: { parseDeepLinkHash(hash: string): void; updateFilter(phrase: string): void };
}
export interface Plugin {
  readonly components?: Readonly<Record<string, Component>>;
  readonly wrapComponents?: Readonly<Record<string, (original: Component, system: System) => Component>>;
  readonly fn?: Readonly<Record<string, unknown>>;
}
export type MakePlugin = (system: System) => Plugin;

/** The parts of the browser that the page uses and Node does not have. */
export interface Browser {
  readonly location: { readonly origin: string; hash: string };
  readonly document: {
    readonly visibilityState: string;
    readonly documentElement: { readonly classList: { toggle(name: string, on: boolean): void } };
    addEventListener(kind: 'click', heard: (event: Click) => void): void;
    querySelector(selector: string): PageElement | null;
  };
  /** Runs when all of the page is loaded. */
  onload: (() => void) | null;
  readonly navigator: { readonly clipboard?: { writeText(text: string): Promise<void> } };
  addEventListener(kind: 'hashchange', heard: () => void): void;
  setTimeout(work: () => void, milliseconds?: number): number;
  clearTimeout(timer: number): void;
  matchMedia(query: string): {
    readonly matches: boolean;
    addEventListener(kind: 'change', heard: () => void): void;
  };
  SwaggerUIBundle: ((options: object) => {
    getSystem(): System;
    preauthorizeApiKey(scheme: string, token: string): void;
  }) & {
    readonly presets: { readonly apis: unknown };
  };
}
export interface PageElement {
  textContent: string | null;
  innerHTML: string;
  /** The value of a form field. */
  readonly value: string;
  focus(): void;
  scrollIntoView(): void;
  /** `invalid` comes from a field that keeps its form from being sent. */
  addEventListener(kind: 'submit' | 'invalid', heard: (event: { preventDefault(): void }) => void): void;
}
export interface Click {
  readonly target: { closest(selector: string): { getAttribute(name: string): string | null } | null };
  preventDefault(): void;
}

export const browser = globalThis as unknown as Browser;
