/** The row of a settings resource in the console: its list, its form and its dialogs are drawn from this row. Used by ResourceSection, useResource and ResourceForm. */

/** How a member is typed and sent. */
export type FieldKind = 'name' | 'email' | 'line' | 'role' | 'reach' | 'choice' | 'switch' | 'time';

export interface Field {
  /** The member of the API. */
  readonly name: string;
  readonly as: FieldKind;
  /** Of `name`, `role` and `reach` it is the usual one. */
  readonly label?: string;
  /** Beside a switch. */
  readonly about?: string;
  /** In the empty field. */
  readonly example?: string;
  /** Of a line: what it has to look like, in the form of `pattern` and in words; and its most characters, 200 when absent. */
  readonly form?: readonly [pattern: string, words: string];
  readonly most?: number;
  /** Of a choice, in the order in which they stand. */
  readonly choices?: readonly { readonly value: string; readonly label: string; readonly about: string }[];
  /** The text of a new one; absent: empty, or the environment of the page. */
  readonly initial?: string;
  /** Whether no other may have the same, so that the refusal stands here. */
  readonly isUnique?: boolean;
  /** Whether only a new one has it in its form. */
  readonly isOfNew?: boolean;
}

export interface FormTexts {
  readonly fields: readonly Field[];
  readonly make: string;
  readonly newAbout: string;
  readonly newDeed: string;
  /** Absent: the form only makes new ones. */
  readonly change?: {
    readonly title: (name: string) => string;
    readonly about: string;
    readonly deed: (name: string) => string;
  };
}

/** One of a resource, as the API answers it. */
export interface Thing extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly name: string;
}

interface Column {
  readonly name: string;
  readonly heading: string;
  readonly as: 'text' | 'time';
  /** Where the member is null. */
  readonly none?: string;
}

/** A button of a line, and its name for those who don't see the line. */
interface Deed {
  readonly label: string;
  readonly of: (name: string) => string;
}

/** The dialogs that change one resource. */
export interface ResourceDeeds {
  /** The path of the API, and the member of its answers. */
  readonly api: { readonly path: string; readonly one: string };
  readonly form: FormTexts;
  /** Said when one is made that shows no credential. */
  readonly made?: (name: string) => string;
  readonly rotation?: {
    readonly title: (name: string) => string;
    readonly about: string;
    readonly deed: string;
    /** The name of the old token. */
    readonly old: string;
  };
  readonly credential?: {
    readonly title: (name: string) => string;
    readonly newTitle: (name: string) => string;
    readonly about: (name: string) => string;
    /** In place of a token that a repeat does not show. */
    readonly shownBefore: string;
    readonly parts: (token: string, baseUrl: string) => readonly (readonly [label: string, text: string])[];
  };
  readonly ending: {
    readonly title: (name: string) => string;
    readonly about: string;
    readonly deed: (name: string) => string;
    readonly done: (name: string) => string;
  };
}

export interface ResourceTexts extends ResourceDeeds {
  readonly api: ResourceDeeds['api'] & { readonly many: string };
  readonly title: string;
  readonly about: (environment: string) => string;
  readonly none: string;
  readonly noneAbout: string;
  readonly columns: readonly Column[];
  /** What stands above the buttons of the lines, for those who don't see them. */
  readonly changes: string;
  readonly deeds: { readonly edit?: Deed; readonly rotate?: Deed; readonly end?: Deed };
  /** The verbs of the audit log in words. */
  readonly audited: Readonly<Record<string, string>>;
}
