/**
 * The types of `@langchain/langgraph-checkpoint` that the store uses, so that the build does not need the package.
 * Programs see the types of the package that they installed.
 */
declare module '@langchain/langgraph-checkpoint' {
  type Json = Record<string, unknown>;

  export interface Item {
    value: Json;
    key: string;
    namespace: string[];
    createdAt: Date;
    updatedAt: Date;
  }
  export interface SearchItem extends Item {
    score?: number;
  }
  export interface GetOperation {
    namespace: string[];
    key: string;
  }
  export interface SearchOperation {
    namespacePrefix: string[];
    filter?: Json;
    limit?: number;
    offset?: number;
    query?: string;
  }
  export interface PutOperation {
    namespace: string[];
    key: string;
    value: Json | null;
    index?: false | string[];
  }
  export interface MatchCondition {
    matchType: 'prefix' | 'suffix';
    path: string[];
  }
  export interface ListNamespacesOperation {
    matchConditions?: MatchCondition[];
    maxDepth?: number;
    limit: number;
    offset: number;
  }
  export type Operation = GetOperation | SearchOperation | PutOperation | ListNamespacesOperation;
  export type OperationResults<Tuple extends readonly Operation[]> = {
    [K in keyof Tuple]: Tuple[K] extends PutOperation
      ? void
      : Tuple[K] extends SearchOperation
        ? SearchItem[]
        : Tuple[K] extends GetOperation
          ? Item | null
          : string[][];
  };
  export interface BaseStore {
    batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>>;
    get(namespace: string[], key: string): Promise<Item | null>;
    search(namespacePrefix: string[], options?: Omit<SearchOperation, 'namespacePrefix'>): Promise<SearchItem[]>;
    put(namespace: string[], key: string, value: Json, index?: false | string[]): Promise<void>;
    delete(namespace: string[], key: string): Promise<void>;
    listNamespaces(options?: {
      prefix?: string[];
      suffix?: string[];
      maxDepth?: number;
      limit?: number;
      offset?: number;
    }): Promise<string[][]>;
    start(): void | Promise<void>;
    stop(): void | Promise<void>;
  }
}
