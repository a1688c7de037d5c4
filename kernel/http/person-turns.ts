import { othersGoFirst } from '../../ports/others-first.ts';
import { defineRef, type LimitHolder, limitedEntity, ServiceError } from '../../ports/ports.ts';

/** The cost of the requests that one person may have in progress, unless a single request costs more. */
export const MAX_PERSON_COST = 1_000;
/** The cost of the requests that all persons together may have in progress. */
export const MAX_TOTAL_COST = 8_000;
/** A request of at most this cost starts at once, even while costlier ones of its person wait. */
export const CHEAP_COST = 50;
/** The maximum number of requests of one person that may wait. */
export const MAX_WAITING = 1_000;

/**
 * Bounds the work that one person may have in progress. All keys of an entity are one person, and so are the programs
 * that call on its behalf. The kernel runs each request so, by the `cost` of its route. A plugin whose route has the
 * cost 0 may take a turn itself later, for example once it knows that it cannot share the result of a running request.
 */
export interface Turns {
  /**
   * Runs the work when the person has its turn. `cost` is about the number of rows that it reads or writes. Rejects
   * with `unavailable` if too many requests of the person already wait.
   */
  run<T>(person: LimitHolder, cost: number, work: () => T | Promise<T>): Promise<T>;
  /** Returns the cost of the work in progress, of one person or of all. */
  costOf(person?: LimitHolder): number;
}

export const Turns = defineRef<Turns>('kernel.turns');

interface WaitingRequest {
  readonly cost: number;
  start(): void;
}

interface Person {
  readonly key: string;
  /** The cost of the requests in progress. */
  cost: number;
  readonly waiting: WaitingRequest[];
  isReady: boolean;
}

/**
 * Requests beyond the limit of their person wait in order. Waiting persons take turns, and the event loop runs other
 * work between the starts of two costly requests. So many requests of one person do not delay those of others.
 */
export class PersonTurns implements Turns {
  readonly #persons = new Map<string, Person>();
  /** Persons whose first waiting request fits, in the order of their turns. */
  readonly #ready: Person[] = [];
  #total = 0;
  /** True from the start of a costly request until other work has had its turn. */
  #isPausing = false;

  async run<T>(holder: LimitHolder, cost: number, work: () => T | Promise<T>): Promise<T> {
    if (cost <= 0) return work();
    const person = this.#personOf(keyOf(holder));
    if (this.#startsAtOnce(person, cost)) this.#begin(person, cost);
    else await this.#wait(person, cost);
    try {
      return await work();
    } finally {
      this.#end(person, cost);
    }
  }

  costOf(holder?: LimitHolder): number {
    if (holder === undefined) return this.#total;
    return this.#persons.get(keyOf(holder))?.cost ?? 0;
  }

  #personOf(key: string): Person {
    const known = this.#persons.get(key);
    if (known !== undefined) return known;
    const person: Person = { key, cost: 0, waiting: [], isReady: false };
    this.#persons.set(key, person);
    return person;
  }

  #startsAtOnce(person: Person, cost: number): boolean {
    if (cost <= CHEAP_COST) return person.cost + cost <= 2 * MAX_PERSON_COST;
    return !this.#isPausing && person.waiting.length === 0 && this.#fits(person, cost);
  }

  #fits(person: Person, cost: number): boolean {
    const isFree = person.cost === 0 || person.cost + cost <= MAX_PERSON_COST;
    return isFree && !this.#isFull(cost);
  }

  #isFull(cost: number): boolean {
    return this.#total > 0 && this.#total + cost > MAX_TOTAL_COST;
  }

  #begin(person: Person, cost: number): void {
    person.cost += cost;
    this.#total += cost;
    if (cost > CHEAP_COST) this.#pause();
  }

  #end(person: Person, cost: number): void {
    person.cost -= cost;
    this.#total -= cost;
    if (person.waiting.length > 0) this.#makeReady(person);
    else if (person.cost === 0) this.#persons.delete(person.key);
    if (this.#ready.length > 0) this.#pause();
  }

  #wait(person: Person, cost: number): Promise<void> {
    if (person.waiting.length >= MAX_WAITING) {
      throw new ServiceError('unavailable', 'too many requests of this caller are waiting; send fewer at once', {
        headers: { 'Retry-After': '1' },
      });
    }
    return new Promise((start) => {
      person.waiting.push({ cost, start });
      this.#makeReady(person);
      this.#pause();
    });
  }

  #makeReady(person: Person): void {
    if (person.isReady) return;
    person.isReady = true;
    this.#ready.push(person);
  }

  #pause(): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    void othersGoFirst().then(() => {
      this.#isPausing = false;
      this.#startNext();
    });
  }

  /** Starts one waiting request, of the first person in turn that has room for it. */
  #startNext(): void {
    for (let person = this.#ready.shift(); person !== undefined; person = this.#ready.shift()) {
      const [first] = person.waiting;
      if (first !== undefined && this.#fits(person, first.cost)) {
        person.waiting.shift();
        this.#begin(person, first.cost);
        person.isReady = person.waiting.length > 0;
        if (person.isReady) this.#ready.push(person);
        first.start();
        break;
      }
      if (first !== undefined && this.#isFull(first.cost)) {
        // The total limit is reached. The person stays first, and the end of any request tries again.
        this.#ready.unshift(person);
        return;
      }
      // The person's own limit is reached. The end of one of its requests makes the person ready again.
      person.isReady = false;
    }
    if (this.#ready.length > 0) this.#pause();
  }
}

const keyOf = (holder: LimitHolder): string => `${holder.tenantId} ${limitedEntity(holder)}`;
