// The original module's CocoaPod was `NearbyMessages` and its header `GNSMessages`, and apps import either.

@_exported public import NearbyMessages
