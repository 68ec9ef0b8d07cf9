/** Libraries beside the standard one. Each line is an expression that must be true. */
import { valueOf } from './support/evaluate.ts';

const truths: Readonly<Record<string, string>> = {
  optional: `
    optional.of(1).hasValue()
    !optional.none().hasValue()
    optional.of(1).value() == 1
    optional.none().orValue(2) == 2
    optional.of(1).orValue(1 / 0) == 1
    optional.of(1).or(optional.of(1 / 0)).value() == 1
    optional.of(null).hasValue()
    optional.none().or(optional.of(3)).value() == 3
    !optional.ofNonZeroValue(0).hasValue()
    !optional.ofNonZeroValue('').hasValue()
    optional.ofNonZeroValue('a').hasValue()
    {'a': 1}.?a.orValue(0) == 1
    {'a': 1}.?b.orValue(0) == 0
    {'a': {'b': 1}}.?a.b.value() == 1
    !{'a': {'b': 1}}.?x.b.hasValue()
    [1][?0].value() == 1
    ![1][?5].hasValue()
    {'a': 1}[?'a'].value() == 1
    [?{'a': 1}.?a, ?{'a': 1}.?b] == [1]
    {?'x': optional.of(1), ?'y': optional.none()} == {'x': 1}
    optional.of(2).optMap(x, x * 2).value() == 4
    !optional.none().optMap(x, x).hasValue()
    optional.of(2).optFlatMap(x, optional.of(x + 1)).value() == 3
    optional.of(1) == optional.of(1)
    optional.none() == optional.none()
    optional.of(1) != optional.none()
    has(optional.of({'a': 1}).a)
    !has(optional.of({'a': 1}).b)`,
  strings: `
    'abc'.charAt(1) == 'b'
    'abc'.charAt(3) == ''
    'a😀b'.charAt(1) == '😀'
    'abcb'.indexOf('b') == 1
    'abcb'.indexOf('b', 2) == 3
    'abc'.indexOf('x') == -1
    'a😀b'.indexOf('b') == 2
    'abcb'.lastIndexOf('b') == 3
    'abcb'.lastIndexOf('b', 2) == 1
    'AbC'.lowerAscii() == 'abc'
    'AbÇ'.upperAscii() == 'ABÇ'
    'abcd'.substring(1) == 'bcd'
    'abcd'.substring(1, 3) == 'bc'
    'a😀b'.substring(1, 2) == '😀'
    ' a '.trim() == 'a'
    '\u0085\u3000 a\ufeff \u0085'.trim() == 'a\ufeff'
    'a,b,c'.split(',') == ['a', 'b', 'c']
    'a,b,c'.split(',', 2) == ['a', 'b,c']
    'a,b,c'.split(',', 0) == []
    'ab'.split('') == ['a', 'b']
    'aXbX'.replace('X', 'y') == 'ayby'
    'aXbX'.replace('X', 'y', 1) == 'aybX'
    'ab'.replace('', '-') == '-a-b-'
    ['a', 'b'].join() == 'ab'
    ['a', 'b'].join('-') == 'a-b'
    [].join('-') == ''
    strings.quote('a"b') == '"a\\\\"b"'
    '%s and %d'.format([dyn('a'), 1]) == 'a and 1'
    '%%'.format([]) == '%'
    '%.2f'.format([3.14159]) == '3.14'
    '%f'.format([1.0]) == '1.000000'
    '%e'.format([1234.5]) == '1.234500e+03'
    '%b'.format([5]) == '101'
    '%x %X'.format([255, 255]) == 'ff FF'
    '%x'.format(['ab']) == '6162'
    '%o'.format([8]) == '10'
    '%s'.format([[dyn(1), 'a', true, null]]) == '[1, a, true, null]'
    '%s'.format([{'b': 1, 'a': 2}]) == '{a: 2, b: 1}'
    '%s'.format([duration('1h')]) == '3600s'
    '%s'.format([timestamp('2020-01-01T00:00:00Z')]) == '2020-01-01T00:00:00Z'
    '%s'.format([string]) == 'string'`,
  'regular expressions': `
    'abc 123'.find('[0-9]+') == '123'
    'abc'.find('[0-9]+') == ''
    '123 abc 456'.findAll('[0-9]+') == ['123', '456']
    '123 abc 456'.findAll('[0-9]+', 1) == ['123']
    'abc'.findAll('[0-9]+') == []`,
  lists: `
    [1, 2, 2, 3].isSorted()
    !['b', 'a'].isSorted()
    [].isSorted()
    [1, 2, 3].sum() == 6
    [1.5, 2.5].sum() == 4.0
    [1u].sum() == 1u
    [duration('1m'), duration('1s')].sum() == duration('61s')
    [].sum() == 0
    [3, 1, 2].min() == 1
    [3, 1, 2].max() == 3
    ['a', 'c', 'b'].max() == 'c'
    [1, 2, 2].indexOf(2) == 1
    [1, 2, 2].lastIndexOf(2) == 2
    [1].indexOf(5) == -1
    [3, 1, 2].sort() == [1, 2, 3]
    [1, 2, 3, 4].slice(1, 3) == [2, 3]
    [1, 1, 2].distinct() == [1, 2]
    [1, 2].reverse() == [2, 1]
    [[1], [2, 3]].flatten() == [1, 2, 3]
    lists.range(3) == [0, 1, 2]
    [1, 2].first().value() == 1
    [1, 2].last().value() == 2
    ![].first().hasValue()
    ['bb', 'a'].sortBy(x, x.size()) == ['a', 'bb']`,
  sets: `
    sets.contains([1, 2, 3], [2, 3])
    !sets.contains([1], [2])
    sets.contains([1], [])
    sets.equivalent([1, 1, 2], [2, 1])
    !sets.equivalent([1], [1, 2])
    sets.intersects([1, 2], [2, 3])
    !sets.intersects([1], [2])`,
  quantity: `
    isQuantity('1.5Gi')
    !isQuantity('x')
    quantity('1Gi') == quantity('1024Mi')
    quantity('1').isGreaterThan(quantity('500m'))
    quantity('500m').isLessThan(quantity('1'))
    quantity('1k').compareTo(quantity('1000')) == 0
    quantity('2').asInteger() == 2
    quantity('2').isInteger()
    !quantity('1.5').isInteger()
    quantity('1.5').asApproximateFloat() == 1.5
    quantity('1').add(quantity('1')) == quantity('2')
    quantity('1').add(2) == quantity('3')
    quantity('3').sub(1) == quantity('2')
    quantity('3').sub(quantity('1')) == quantity('2')
    sign(quantity('-1')) == -1
    quantity('0').sign() == 0`,
  addresses: `
    isIP('10.0.0.1')
    isIP('::1')
    !isIP('10.0.0')
    !isIP('010.0.0.1')
    !isIP('fe80::1%eth0')
    !isIP('::ffff:1.2.3.4')
    ip('10.0.0.1').family() == 4
    ip('::1').family() == 6
    ip('127.0.0.1').isLoopback()
    ip('::1').isLoopback()
    ip('0.0.0.0').isUnspecified()
    ip('169.254.1.1').isLinkLocalUnicast()
    ip('fe80::1').isLinkLocalUnicast()
    ip('224.0.0.1').isLinkLocalMulticast()
    ip('ff02::1').isLinkLocalMulticast()
    ip('8.8.8.8').isGlobalUnicast()
    !ip('255.255.255.255').isGlobalUnicast()
    ip.isCanonical('2001:db8::1')
    !ip.isCanonical('2001:DB8::1')
    string(ip('2001:0db8:0:0:0:0:0:1')) == '2001:db8::1'
    ip('::1') == ip('0:0:0:0:0:0:0:1')
    type(ip('10.0.0.1')) == net.IP
    type(cidr('10.0.0.0/8')) == net.CIDR
    isCIDR('10.0.0.0/8')
    !isCIDR('10.0.0.0/33')
    !isCIDR('10.0.0.0/08')
    cidr('10.0.0.0/8').containsIP('10.1.2.3')
    !cidr('10.0.0.0/8').containsIP('11.0.0.1')
    cidr('10.0.0.0/8').containsIP(ip('10.0.0.1'))
    cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')
    !cidr('10.1.0.0/16').containsCIDR('10.0.0.0/8')
    cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/8'))
    cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')
    cidr('10.1.2.3/8').ip() == ip('10.1.2.3')
    cidr('2001:db8::/32').prefixLength() == 32
    string(cidr('10.0.0.0/8')) == '10.0.0.0/8'`,
  urls: `
    isURL('https://example.com')
    isURL('/path')
    !isURL('example.com')
    !isURL('')
    !isURL('https://a b')
    url('https://example.com:80/a b?k=v').getScheme() == 'https'
    url('https://example.com:80/').getHost() == 'example.com:80'
    url('https://example.com:80/').getHostname() == 'example.com'
    url('https://[::1]:80/').getHostname() == '::1'
    url('https://example.com:80/').getPort() == '80'
    url('https://example.com/').getPort() == ''
    url('https://example.com/a b').getEscapedPath() == '/a%20b'
    url('https://example.com/?a=1&a=2&b=3').getQuery() == {'a': ['1', '2'], 'b': ['3']}
    url('/p?q=1').getQuery().q == ['1']
    url('https://user@example.com/').getHost() == 'example.com'`,
  formats: `
    !format.dns1123Label().validate('abc').hasValue()
    format.dns1123Label().validate('Abc').hasValue()
    format.dns1123Label().validate('a.b').value().size() == 1
    !format.dns1123Subdomain().validate('a.b').hasValue()
    !format.dns1035Label().validate('a1').hasValue()
    format.dns1035Label().validate('1a').hasValue()
    !format.qualifiedName().validate('example.com/a').hasValue()
    format.qualifiedName().validate('a/b/c').hasValue()
    !format.labelValue().validate('').hasValue()
    !format.dns1123LabelPrefix().validate('a-').hasValue()
    !format.uri().validate('https://a').hasValue()
    !format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()
    format.uuid().validate('x').hasValue()
    !format.byte().validate('aGk=').hasValue()
    !format.date().validate('2021-01-01').hasValue()
    !format.datetime().validate('2021-01-01T00:00:00Z').hasValue()
    format.named('dns1123Label').hasValue()
    !format.named('unknown').hasValue()
    !format.named('constructor').hasValue()`,
  semver: `
    isSemver('1.2.3')
    !isSemver('1.2')
    !isSemver('01.2.3')
    isSemver('v1.2', true)
    semver('1.2.3').isLessThan(semver('1.10.0'))
    semver('1.0.0').isGreaterThan(semver('1.0.0-alpha'))
    semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))
    semver('1.0.0-2').isLessThan(semver('1.0.0-10'))
    semver('1.0.0+a').compareTo(semver('1.0.0+b')) == 0
    semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3
    semver('v01.2', true) == semver('1.2.0')`,
};

describe.each(Object.entries(truths))('%s', (_name, text) => {
  test.each(text.trim().split(/\n\s*/))('%s', (expression) => {
    expect(valueOf(expression)).toBe(true);
  });
});

const failures: readonly (readonly [expression: string, message: RegExp])[] = [
  ["'abc'.charAt(9)", /out of range/],
  ["'abc'.substring(2, 1)", /substring range/],
  ["'abc'.substring(-1)", /out of range/],
  ["'%d'.format(['a'])", /decimal clause/],
  ["'%s'.format([])", /out of range/],
  ["'%q'.format([1])", /unrecognized formatting clause "q"/],
  ["'%.999f'.format([1.0])", /precision/],
  ['[].min() == 1', /empty list/],
  ["quantity('x') == quantity('1')", /quantities must match/],
  ["quantity('1.5').asInteger()", /cannot convert/],
  ["ip('x').family()", /parse error/],
  ["cidr('10.0.0.0').prefixLength()", /parse error/],
  ["url('x').getHost()", /parse error/],
  ["semver('x').major()", /semantic version/],
  ['[1, 2].slice(1, 5)', /out of range/],
  ['lists.range(100000000)', /items/],
];

test.each(failures)('%s has no value', (expression, message) => {
  expect(() => valueOf(expression)).toThrow(message);
});
