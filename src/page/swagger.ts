// The part of Swagger UI that the page's plugins use. It has no types of its own.

/** The result of drawing with React. */
export type Drawn = unknown;
export type Properties = Readonly<Record<string, unknown>>;
export type Component = (properties: Properties) => Drawn;

export interface React {
  createElement(component: Component | string, properties: Properties | null, ...children: Drawn[]): Drawn;
  useState<Value>(first: Value): [Value, (next: Value) => void];
  /**
   * @param begin runs when the component is first drawn and whenever one of the values is another one; the function that it
   *   returns runs before the next time, and when the component is removed.
   */
  useEffect(begin: () => (() => void) | undefined, values: readonly unknown[]): void;
  readonly Fragment: Component;
}

/** A value of Immutable.js. */
export interface Immutable {
  get(key: string): unknown;
  getIn(path: readonly string[]): unknown;
}
export interface System {
  readonly React: React;
  /** The function that `subscribe` returns ends the subscription. */
  getStore(): { subscribe(changed: () => void): () => void; dispatch(action: object): void };
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
  /** `scrollTo` scrolls to a part of the page when it is first drawn. */
  readonly layoutActions: { scrollTo(key: readonly string[]): void };
  readonly specActions: { updateJsonSpec(document: object): void };
}
export interface Plugin {
  readonly components?: Readonly<Record<string, Component>>;
  readonly wrapComponents?: Readonly<Record<string, (original: Component, system: System) => Component>>;
  readonly fn?: Readonly<Record<string, unknown>>;
  readonly statePlugins?: Readonly<
    Record<string, { readonly wrapActions: Readonly<Record<string, WrapAction>> }>
  >;
}
type WrapAction = (original: Action, system: System) => Action;
type Action = (...given: never[]) => void;
export type MakePlugin = (system: System) => Plugin;

/** The parts of the browser that the page uses and Node does not have. */
export interface Browser {
  readonly location: { readonly origin: string; hash: string };
  readonly document: {
    readonly visibilityState: string;
    readonly documentElement: {
      readonly scrollHeight: number;
      readonly classList: { toggle(name: string, on: boolean): void };
    };
    addEventListener(kind: 'click', heard: (event: Click) => void): void;
    addEventListener(kind: 'keydown', heard: (press: KeyPressAt) => void): void;
    /** Runs when the page and its deferred scripts are there. */
    addEventListener(kind: 'DOMContentLoaded', heard: () => void): void;
    removeEventListener(kind: 'keydown', heard: (press: KeyPressAt) => void): void;
    querySelector(selector: string): PageElement | null;
    querySelectorAll(selector: string): Iterable<PageElement>;
    getElementById(id: string): PageElement | null;
  };
  readonly navigator: { readonly clipboard?: { writeText(text: string): Promise<void> } };
  /** Keeps the scroller that Swagger UI contains (zenscroll) from following links and the history by itself. */
  noZensmooth: boolean;
  readonly history: { scrollRestoration: 'manual' | 'auto' };
  readonly innerHeight: number;
  readonly scrollY: number;
  addEventListener(kind: WindowEvent, heard: () => void): void;
  removeEventListener(kind: WindowEvent, heard: () => void): void;
  dispatchEvent(event: Event): void;
  getComputedStyle(element: object): { readonly scrollPaddingTop: string };
  requestAnimationFrame(draw: () => void): void;
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
    readonly plugins: {
      SwaggerClient(system: System): {
        readonly fn: { resolveSubtree(document: object, path: readonly string[], options: unknown): unknown };
      };
    };
  };
}
type WindowEvent = 'hashchange' | 'scroll' | 'resize';
export interface PageElement {
  readonly id: string;
  textContent: string | null;
  innerHTML: string;
  /** The value of a form field. */
  readonly value: string;
  focus(how?: { readonly preventScroll: boolean }): void;
  scrollIntoView(how?: { readonly block: 'nearest' }): void;
  scrollTop: number;
  getBoundingClientRect(): { readonly top: number; readonly bottom: number };
  closest(selector: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  /** `invalid` comes from a field that keeps its form from being sent. */
  addEventListener(kind: 'submit' | 'invalid', heard: (event: { preventDefault(): void }) => void): void;
}
export interface Click {
  readonly target: PageElement;
  preventDefault(): void;
}
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  preventDefault(): void;
}
export interface KeyPressAt extends KeyPress {
  readonly target: PageElement;
}

export const browser = globalThis as unknown as Browser;
