import type { SqlParameter } from './sql-engine.ts';

/** A constant filter below a node, with the values for its `?`. */
interface ConstantShape {
  readonly shape: ShapeNode;
  readonly parameters: readonly SqlParameter[];
}

/**
 * A node in the tree of filter shapes. The path from the root is the shape. Finding a shape takes one look-up by a
 * short constant for each part of the filter. A shape as one long text would have to be built, hashed and compared for
 * each query.
 */
export class ShapeNode {
  readonly #tree: { nodes: number };
  readonly #next = new Map<string | number, ShapeNode>();
  #constants: Map<object, ConstantShape> | undefined;
  #written: Map<string, string> | undefined;

  constructor(tree = { nodes: 0 }) {
    this.#tree = tree;
    tree.nodes += 1;
  }

  /** The number of nodes of the whole tree. */
  get nodes(): number {
    return this.#tree.nodes;
  }

  /** Returns the child for one more part. */
  after(part: string | number): ShapeNode {
    const known = this.#next.get(part);
    if (known !== undefined) return known;
    const made = new ShapeNode(this.#tree);
    this.#next.set(part, made);
    return made;
  }

  /** Returns the child for one more constant filter, whose parameters it reads once. */
  afterConstant(filter: object, readParameters: () => readonly SqlParameter[]): ConstantShape {
    const known = this.#constants?.get(filter);
    if (known !== undefined) return known;
    const made = { shape: new ShapeNode(this.#tree), parameters: readParameters() };
    this.#constants ??= new Map();
    this.#constants.set(filter, made);
    return made;
  }

  /** Returns the SQL of a statement with a filter of this shape. Writes it once. */
  sql(statement: string, write: () => string): string {
    const known = this.#written?.get(statement);
    if (known !== undefined) return known;
    const sql = write();
    this.#written ??= new Map();
    this.#written.set(statement, sql);
    this.#tree.nodes += 1;
    return sql;
  }
}
