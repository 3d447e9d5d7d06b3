/**
 * Builds rtnetlink(7) messages, with which the syscall helper configures network interfaces. All numbers are
 * in the machine's byte order, which is little-endian on every processor that the helper supports.
 */
import { INSIDE_PID, type SystemCall } from './calls.ts';

const RTM_NEWLINK = 16;
const RTM_DELLINK = 17;
const RTM_NEWADDR = 20;
const RTM_NEWROUTE = 24;
/** NLM_F_REQUEST | NLM_F_ACK: the kernel answers with an error code, or 0. */
const REQUEST = 0x1 | 0x4;
const CREATE = 0x400 | 0x200;
const REPLACE = 0x400 | 0x100;
const UP = 1;
const HEADER_BYTES = 16;
/** The offset of the interface number in a message about an address. */
const ADDRESS_INDEX = HEADER_BYTES + 4;

const IFLA_ADDRESS = 1;
const IFLA_IFNAME = 3;
const IFLA_MASTER = 10;
const IFLA_LINKINFO = 18;
const IFLA_NET_NS_PID = 19;
const IFLA_INFO_KIND = 1;
const IFLA_INFO_DATA = 2;
const VETH_INFO_PEER = 1;
const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;
const RTA_GATEWAY = 5;
const AF_INET = 2;
const ROUTE_TABLE_MAIN = 254;
const ROUTE_BY_BOOT = 3;
const ROUTE_UNICAST = 1;

/**
 * Creates a veth pair: `here` on this side, switched on, and `there` in the network namespace of the process
 * inside. `ip`: the address that `there` will get.
 */
export function veth(socket: string, here: string, there: string, ip: string): SystemCall {
  const peer = Buffer.concat([
    linkHeader(0),
    attribute(IFLA_ADDRESS, hardwareAddress(ip)),
    attribute(IFLA_IFNAME, text(there)),
    attribute(IFLA_NET_NS_PID, uint32(0)),
  ]);
  const info = Buffer.concat([
    attribute(IFLA_INFO_KIND, text('veth')),
    attribute(IFLA_INFO_DATA, attribute(VETH_INFO_PEER, peer)),
  ]);
  const body = [linkHeader(UP), attribute(IFLA_IFNAME, text(here)), attribute(IFLA_LINKINFO, info)];
  const request = message(RTM_NEWLINK, CREATE, body);
  // The PID of that process is at the end of the message; the helper fills it in.
  return ['ask', socket, request, '', 0, request.length - 4, INSIDE_PID];
}

/** Switches an interface on, after attaching it to the bridge if one is given. */
export function linkUp(socket: string, name: string, bridgeIndex?: number): SystemCall {
  const master = bridgeIndex === undefined ? [] : [attribute(IFLA_MASTER, uint32(bridgeIndex))];
  const body = [linkHeader(UP), attribute(IFLA_IFNAME, text(name)), ...master];
  return ['ask', socket, message(RTM_NEWLINK, 0, body)];
}

/**
 * Creates a bridge with a fixed hardware address. Without one, a bridge takes the lowest address of its
 * ports, which changes when pods start and stop: for seconds, other pods would still send to the old address.
 * `ip`: the address that the bridge will get.
 */
export function bridge(socket: string, name: string, ip: string): SystemCall {
  const info = attribute(IFLA_INFO_KIND, text('bridge'));
  const body = [
    linkHeader(UP),
    attribute(IFLA_ADDRESS, hardwareAddress(ip)),
    attribute(IFLA_IFNAME, text(name)),
    attribute(IFLA_LINKINFO, info),
  ];
  return ['ask', socket, message(RTM_NEWLINK, CREATE, body)];
}

export function deleteLink(socket: string, name: string): SystemCall {
  return [
    'ask',
    socket,
    message(RTM_DELLINK, 0, [linkHeader(0), attribute(IFLA_IFNAME, text(name))]),
  ];
}

/** Adds an address to an interface, unless it has the address already. */
export function address(socket: string, name: string, ip: string, prefix: number): SystemCall {
  // The helper fills in the index of the interface.
  const header = Buffer.from([AF_INET, prefix, 0, 0, 0, 0, 0, 0]);
  const body = [header, attribute(IFA_LOCAL, octets(ip)), attribute(IFA_ADDRESS, octets(ip))];
  return ['ask', socket, message(RTM_NEWADDR, REPLACE, body), name, ADDRESS_INDEX];
}

export function defaultRoute(socket: string, gateway: string): SystemCall {
  const header = Buffer.alloc(12);
  header.set([AF_INET, 0, 0, 0, ROUTE_TABLE_MAIN, ROUTE_BY_BOOT, 0, ROUTE_UNICAST]);
  return [
    'ask',
    socket,
    message(RTM_NEWROUTE, CREATE, [header, attribute(RTA_GATEWAY, octets(gateway))]),
  ];
}

function message(type: number, flags: number, body: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(body);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(HEADER_BYTES + bytes.length, 0);
  header.writeUInt16LE(type, 4);
  header.writeUInt16LE(REQUEST | flags, 6);
  header.writeUInt32LE(1, 8);
  return Buffer.concat([header, bytes]);
}

function linkHeader(flags: number): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(flags, 8);
  // The mask of the flags to change.
  header.writeUInt32LE(flags, 12);
  return header;
}

/** An attribute: length, type and value, padded to four bytes. */
function attribute(type: number, value: Uint8Array): Buffer {
  const length = 4 + value.length;
  const bytes = Buffer.alloc(Math.ceil(length / 4) * 4);
  bytes.writeUInt16LE(length, 0);
  bytes.writeUInt16LE(type, 2);
  bytes.set(value, 4);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Derived from the IP, as in CNI plugins, so that ARP caches stay valid for the next pod with this IP. */
function hardwareAddress(ip: string): Buffer {
  return Buffer.concat([Buffer.from([0x0a, 0x58]), octets(ip)]);
}

function octets(ip: string): Buffer {
  return Buffer.from(ip.split('.').map(Number));
}
