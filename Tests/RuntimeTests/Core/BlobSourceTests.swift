// BlobSourceTests: what a source owns ends with it.

import NapkinCore
import Testing

struct BlobSourceTests {
    @Test func `a source that owns another one is released with it`() {
        var inner: BlobSource? = BlobSource([1, 2, 3])
        weak let kept = inner
        var outer: BlobSource? = BlobSource(byteCount: 3) { [inner] _ in
            inner == nil ? [] : [4, 5, 6]
        }
        inner = nil
        #expect(kept != nil && outer?.blob.byteCount == 3)
        outer = nil
        #expect(kept == nil)
    }
}
