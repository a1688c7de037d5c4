import { matchKey, type NodeSelf } from '../../../kernel/plugin-api.ts';

/** What nobody but this node may say something as. */
export interface OwnNames {
  isOwnNode(nodeId: string): boolean;
  /** This node as a source, or one under its own address. */
  isOwnSource(source: string): boolean;
}

/** The same for a peer. Without an authority nothing lies under the address of the node. */
export type NamedNode = Pick<NodeSelf, 'names' | 'nodeId'> & { readonly authority: string | null };

export const createOwnNames = ({ names, nodeId, authority }: NamedNode): OwnNames => {
  const self = matchKey(nodeId, names);
  const below = authority === null ? [] : [`${names.scheme}${authority.toLowerCase()}/`];
  if (self.startsWith(names.scheme)) below.push(self.endsWith('/') ? self : `${self}/`);
  const isOwnNode = (text: string): boolean => matchKey(text, names) === self;
  return {
    isOwnNode,
    isOwnSource: (source) => isOwnNode(source) || below.some((start) => matchKey(source, names).startsWith(start)),
  };
};
