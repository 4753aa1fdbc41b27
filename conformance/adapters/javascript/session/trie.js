// A map from whole numbers that keeps its older states: to set a key gives a new map and leaves the
// old one as it was. Both take as many steps as the key has binary digits.

class Node {
  constructor(zero, one, value) {
    this.zero = zero;
    this.one = one;
    this.value = value;
  }
}

/** The value of a key, or undefined. The empty map is null. */
export function lookUp(map, key) {
  let node = map;
  for (let rest = key; node !== null && rest !== 0; rest >>>= 1) node = rest & 1 ? node.one : node.zero;
  return node?.value;
}

/** The map with `key` set. */
export function withKey(map, key, value) {
  const copy = (node) => new Node(node?.zero ?? null, node?.one ?? null, node?.value);
  const top = copy(map);
  let node = top;
  for (let rest = key; rest !== 0; rest >>>= 1) {
    if (rest & 1) node = node.one = copy(node.one);
    else node = node.zero = copy(node.zero);
  }
  node.value = value;
  return top;
}
