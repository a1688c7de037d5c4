import type { Query } from '../shell/address.ts';

const TIMES = ['after', 'before'] as const;
const LISTS = ['entities', 'relations', 'sources', 'sessions'] as const;

/** Members that narrow facts before the node counts or ranks them. A list has a name in each line. */
export const NARROWING = [...TIMES, ...LISTS] as const;

export type NarrowingName = (typeof NARROWING)[number];
export type ListName = (typeof LISTS)[number];

export const isList = (name: string): name is ListName => LISTS.some((each) => each === name);

/** The names of a list, without empty lines. */
export const namesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((name) => name.trim())
    .filter((name) => name !== '');

interface Narrowing extends Partial<Record<ListName, string[]>> {
  readonly after?: string;
  readonly before?: string;
}

/** The members of a request, from the texts of the address. The node checks them. */
export const narrowingOf = (given: Query): Narrowing => {
  const { after, before } = given;
  const lists = LISTS.map((name) => [name, namesOf(given[name] ?? '')] as const).filter(
    ([, names]) => names.length > 0,
  );
  return { ...(after && { after }), ...(before && { before }), ...Object.fromEntries(lists) };
};
