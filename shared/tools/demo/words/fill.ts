// Fills {slots} of a template; one filler per item, so that a slot has the same value wherever the item mentions it.

import type { Random } from '../random.ts';
import { slots } from './slots.ts';

/** One subject of an inbox; a case is a title with the text that belongs to it. */
export interface Topic {
  readonly name: string;
  readonly weight: number;
  readonly tags: readonly string[];
  readonly cases: readonly (readonly [title: string, body: string])[];
}

const SLOT = /\{(\w+)\}/g;

export class Filler {
  readonly #random: Random;
  readonly #known: Record<string, string>;

  /** `known` has the slots that the item's record determines, such as its invoice; the others are random. */
  constructor(random: Random, known: Record<string, string>) {
    this.#random = random;
    this.#known = known;
  }

  fill(template: string): string {
    return template.replace(SLOT, (_whole, slot: string) => (this.#known[slot] ??= this.#invent(slot)));
  }

  #invent(slot: string): string {
    const source = slots[slot];
    if (source === undefined) throw new Error(`no vocabulary for the slot {${slot}}`);
    return typeof source === 'function' ? source(this.#random) : this.#random.pick(source);
  }
}
