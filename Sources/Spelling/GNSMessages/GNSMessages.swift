// The original module's CocoaPod was `NearbyMessages` and its header `GNSMessages`, and apps import either one.

@_exported public import NearbyMessages
